// How many listeners a page holds open, by what the SDK sends and the server answers: those of its lists and watches, and no more.
import { createRequire } from "node:module";
import { Duplex } from "node:stream";
import { initializeApp } from "firebase/app";
import { createUserWithEmailAndPassword, signOut } from "firebase/auth";
import {
  accountsByName,
  Badge,
  changeProfile,
  codeOf,
  connect,
  feed,
  following,
  type Me,
  notifications,
  OwnCounts,
  OwnFollows,
  ownPosts,
  Paged,
  postsToAudience,
  Reader,
  signOutAndForget,
  watchAccount,
} from "relationindex-client";
import { afterAll, beforeAll, expect, test } from "vitest";

import { at, client, profile, write } from "../firestore.ts";

const project = "demo-listeners";

/** What the SDK sends and gets on a stream of listeners. A target is a listener. */
interface Sent {
  database: string;
  addTarget?: { targetId: number };
  removeTarget?: number;
}
interface Got {
  targetChange?: { targetChangeType: string; targetIds: number[] };
}

/** The open targets of each open stream. */
const streams = new Map<Duplex & { cancel(): void }, Set<number>>();
const open = () => [...streams].flatMap(([stream, targets]) => [...targets].map((id) => ({ stream, id })));
const count = () => open().length;
/** The most that were open at once. */
let most = 0;

// The SDK's own gRPC.
const fromSDK = createRequire(createRequire(createRequire(import.meta.url).resolve("firebase/firestore")).resolve("@firebase/firestore"));
const { ClientDuplexStreamImpl } = fromSDK("@grpc/grpc-js/build/src/call.js") as { ClientDuplexStreamImpl: { prototype: Duplex } };
const unseen = Duplex.prototype.write as (this: Duplex, message: Sent) => boolean;

beforeAll(() => {
  ClientDuplexStreamImpl.prototype.write = function (this: Duplex & { cancel(): void }, message: Sent) {
    const { database, addTarget, removeTarget } = message;
    if ((addTarget || removeTarget) && database.includes(`/${project}/`)) {
      const targets = streams.get(this) ?? new Set<number>();
      if (!streams.has(this)) {
        for (const end of ["end", "error", "close"]) this.on(end, () => streams.delete(this));
        this.on("data", ({ targetChange: change }: Got) => change?.targetChangeType === "REMOVE" && change.targetIds.forEach((id) => targets.delete(id)));
        streams.set(this, targets);
      }
      if (addTarget) targets.add(addTarget.targetId);
      else targets.delete(removeTarget!);
      most = Math.max(most, count());
    }
    return unseen.call(this, message);
  } as Duplex["write"];
});
afterAll(() => void delete (ClientDuplexStreamImpl.prototype as Partial<Duplex>).write);

/** signedUp connects as a page does, with a new account. */
async function signedUp(name: string) {
  const connected = connect({
    app: initializeApp({ projectId: project, apiKey: "demo" }, name),
    emulators: { firestoreHost: at.firestoreHost, authHost: at.authHost },
    counts: true,
  });
  const { user } = await createUserWithEmailAndPassword(connected.auth, `${name}@example.com`, "correct horse");
  const me = connected.as(user);
  await changeProfile(me, { name });
  return { client: connected, me };
}

/** Longer than the wait after a first error. */
const later = () => new Promise((resolve) => setTimeout(resolve, 3_500));

/** shown opens what a page shows. */
function shown(me: Me): { close(): void }[] {
  const lists = [feed(me), ownPosts(me), notifications(me), following(me)].map((source) => new Paged(source as ReturnType<typeof following>));
  for (const list of lists) list.subscribe(() => {});
  return [...lists, new Badge(me), new OwnCounts(me), new Reader(me), { close: watchAccount(me, me.id, () => {}) }];
}

test("200 accounts with follow buttons leave one listener: the list's", async () => {
  const owner = client("owner", project);
  await write(Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`users/person${n}`, { ...profile(`Person ${n}`), closed: n % 4 === 0 }])), owner);
  const { me } = await signedUp("scroll");
  const list = new Paged(accountsByName(me, "person")),
    follows = new OwnFollows(me);
  const buttons = new Map<string, string | undefined>();
  list.subscribe(({ items }) => {
    for (const { id, account } of items) {
      if (buttons.has(id)) continue;
      buttons.set(id, undefined);
      follows.of(account).subscribe((own) => buttons.set(id, own?.is));
    }
  });
  await expect.poll(() => list.state.get().more).toBe(true);
  while (list.state.get().more) await list.loadMore();
  await expect.poll(() => [...buttons.values()].filter((is) => is === "none").length).toBe(200);
  await expect.poll(count).toBe(1);
  console.log(`at most ${most} listeners at once`);
  expect(most).toBeLessThan(40); // reads that the server answers once
  list.close();
  follows.close();
  await expect.poll(count).toBe(0);
});

test("after a sign-out nothing listens, whether what was shown is closed or not", async () => {
  const { client: connected, me } = await signedUp("leaver");
  const all = shown(me);
  await expect.poll(count).toBeGreaterThan(5);
  await signOut(connected.auth);
  // The SDK asks once more, without a token, and is rejected.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await expect.poll(count).toBe(0);
  most = 0;
  await later();
  expect(most).toBe(0);
  for (const one of all) one.close();

  const { client: other, me: next } = await signedUp("forgetter");
  for (const one of shown(next)) one.close();
  await expect.poll(count).toBe(0);
  shown(next);
  await expect.poll(count).toBeGreaterThan(5);
  await signOutAndForget(other);
  await expect.poll(count).toBe(0);
  most = 0;
  await later();
  expect(most).toBe(0);
});

test("after an error of each kind as many listen as before, and none once it is closed", async () => {
  const { me } = await signedUp("unlucky");
  const codes = Array.from({ length: 16 }, (_, n) => n + 1); // those of gRPC
  await write(Object.fromEntries(codes.map((code) => [`users/author${code}`, profile(`Author ${code}`)])), client("owner", project));
  const lists = codes.map((code) => new Paged(postsToAudience(me, `author${code}`)));
  const said = new Set<string>();
  for (const list of lists) list.subscribe(({ error }) => error && said.add(codeOf(error)));
  const ready = () => lists.every((list) => list.state.get().status === "ready");
  await expect.poll(ready).toBe(true);
  expect(count()).toBe(16);

  // The server ends each listener, each with another code.
  open().forEach(({ stream, id }, n) => {
    stream.emit("data", {
      targetChange: { targetChangeType: "REMOVE", targetIds: [id], cause: { code: codes[n], message: "made by a test" }, resumeToken: Buffer.alloc(0) },
    });
    unseen.call(stream, { database: `projects/${project}/databases/(default)`, removeTarget: id });
  });
  expect(count()).toBe(0);
  await expect.poll(() => said.size).toBe(16);
  await expect.poll(ready).toBe(true);
  await later();
  expect(count()).toBe(16);

  // The connection breaks.
  const [broken] = streams.keys();
  broken!.cancel();
  await expect.poll(() => [streams.has(broken!), count()]).toEqual([false, 16]);
  for (const list of lists) list.close();
  await expect.poll(count).toBe(0);
  most = 0;
  await later();
  expect(most).toBe(0);
});
