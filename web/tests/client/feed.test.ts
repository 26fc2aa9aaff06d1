// A client from its config to its feed, by the real Feed and the real functions.
import { randomUUID } from "node:crypto";

import { initializeApp, SDK_VERSION } from "firebase/app";
import { createUserWithEmailAndPassword } from "firebase/auth";
import {
  changeProfile,
  type Client,
  type Config,
  connect,
  createGroup,
  deletePost,
  type Entry,
  type Fields,
  feed,
  follow,
  hasUnsent,
  type Me,
  OwnFollows,
  Paged,
  signOutAndForget,
  type Source,
  unfollow,
  writePost,
} from "relationindex-client";
import { expect, inject, onTestFinished, test, vi } from "vitest";

import { Me as Account } from "../../../client/src/me.ts";
import { at, idle, publish, register, write } from "../firestore.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The release of the SDK that this project has in vitest.config.ts: 12 or 13. */
    firebase: string;
  }
}

const config: Config = {
  firebase: { projectId: at.project, apiKey: "demo" },
  database: at.database,
  emulators: { firestoreHost: at.firestoreHost, authHost: at.authHost },
  feedURL: at.feedURL,
};

/** Connects an app of its own: a client that has forgotten its account is of no more use. */
const open = (): Client<Fields, Fields> => connect({ ...config, app: initializeApp(config.firebase, randomUUID()) });

function opened(source: Source<Entry>): Paged<Entry> {
  const list = new Paged(source);
  list.subscribe(() => {});
  return list;
}

/** The account, of a deployment without Feed. */
const live = ({ client, id }: Me<Fields, Fields>): Me<Fields, Fields> => {
  const { feedURL: _, ...withoutFeed } = client.config;
  return new Account({ ...client, config: withoutFeed }, id);
};

test("a client signs up, follows, and reads its feed to its end, by Feed and by relations", async () => {
  expect(SDK_VERSION.split(".")[0]).toBe(inject("firebase"));
  const author = `client-author-${inject("firebase")}`;
  await register(author, "Author");
  await publish(author, 25, "Old");
  const client = open();
  const { user } = await createUserWithEmailAndPassword(client.auth, `client-${Date.now()}@example.com`, "correct horse");
  const me = client.as(user);
  await changeProfile(me, { name: "Reader" });
  await follow(me, author);
  await idle();
  const follows = new OwnFollows(me);
  await expect.poll(() => follows.of({ id: author, closed: false }).get()).toEqual({ is: "following", sending: false });
  follows.close();

  const lists = [feed(me, { every: 300 }), feed(live(me))].map(opened);
  const all = Array.from({ length: 25 }, (_, n) => `${author}-${String(24 - n).padStart(3, "0")}`);
  const ids = (list: Paged<Entry>) => list.state.get().items.map(({ id }) => id);
  for (const list of lists) {
    await expect.poll(() => ids(list)).toEqual(all.slice(0, 20));
    expect(list.state.get().more).toBe(true);
    await list.loadMore();
    expect(ids(list)).toEqual(all);
    expect(list.state.get()).toMatchObject({ more: false, error: null, moreError: null });
  }

  // A post that comes is there: by the listener, and by the next look.
  await publish(author, 26);
  for (const list of lists) await expect.poll(() => ids(list)[0]).toBe(`${author}-025`);
  for (const list of lists) list.close();
  await writePost(me, { text: "Hello" });
  expect(await hasUnsent(client)).toBe(false);
  expect(await signOutAndForget(client)).toBe(true);
  expect(client.auth.currentUser).toBeNull();
});

test("a feed goes on below a first page of relations whose posts are deleted", async () => {
  const author = `below-${inject("firebase")}`;
  await register(author, "Below");
  await publish(author, 1);
  await idle();
  const client = open();
  const { user } = await createUserWithEmailAndPassword(client.auth, `below-${Date.now()}@example.com`, "correct horse");
  const relation = (n: number, postId = `${user.uid}-${n}`) =>
    [`_relations/${postId}_00001`, { postId, userId: author, audience: author, createdAt: new Date(Date.now() - n * 1000), followers: [user.uid] }] as const;
  await write(Object.fromEntries([...Array.from({ length: 21 }, (_, n) => relation(n)), relation(21, `${author}-000`)]));
  const list = opened(feed(live(client.as(user))));
  await expect.poll(() => list.state.get()).toMatchObject({ items: [], status: "ready", more: true, barren: true });
  await list.loadMore();
  expect(list.state.get()).toMatchObject({ items: [{ id: `${author}-000` }], more: false, barren: false });
  list.close();
  await signOutAndForget(client);
});

test("what the account does shows in its feed at once: the posts, the follows, and what Feed then says", async () => {
  const author = `acts-${inject("firebase")}`;
  await register(author, "Author");
  await publish(author, 2);
  const client = open();
  const { user } = await createUserWithEmailAndPassword(client.auth, `acts-${randomUUID()}@example.com`, "correct horse");
  const me = client.as(user);
  await changeProfile(me, { name: "Actor" });
  const group = await createGroup(me, { name: "Team", closed: false, post: "members" }); // of the own posts, a member's reach the own feed
  await idle();

  let pages = 0; // first pages that were asked of Feed
  const { fetch } = globalThis;
  vi.stubGlobal("fetch", (...what: Parameters<typeof fetch>) => {
    const address = String(what[0]);
    if (address.startsWith(at.feedURL) && !address.includes("news=")) pages++;
    return fetch(...what);
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const list = opened(feed(me, { every: 600_000 }));
  await expect.poll(() => list.state.get()).toMatchObject({ status: "ready", items: [] });
  const seen: string[][] = [];
  list.subscribe(({ items }) => void seen.push(items.map(({ id }) => id)));
  const asks = async (act: () => Promise<unknown>) => {
    const before = pages;
    await act();
    await expect.poll(() => pages, { timeout: 15_000 }).toBeGreaterThan(before);
    await idle();
  };

  let id = "";
  await asks(async () => {
    id = await writePost(me, { text: "Mine", audience: group });
    await expect.poll(() => list.state.get().items, { interval: 5, timeout: 1_400 }).toMatchObject([{ id, own: true }]); // before Feed is asked
  });
  list.refresh(); // the looks after the act may have come before the functions' writes
  await expect.poll(() => list.state.get().items).toEqual([expect.not.objectContaining({ own: true })]);
  expect(list.state.get().items).toMatchObject([{ id }]);
  for (const ids of seen) expect(ids.filter((one) => one === id).length).toBeLessThan(2);
  const first = seen.findIndex((ids) => ids.includes(id));
  expect(seen.slice(first).every((ids) => ids.includes(id))).toBe(true);

  await asks(() => follow(me, author));
  list.refresh();
  await expect.poll(() => list.state.get().items.map((one) => one.id)).toEqual([id, `${author}-001`, `${author}-000`]);
  await asks(() => unfollow(me, author));
  list.refresh();
  await expect.poll(() => list.state.get().items.map((one) => one.id)).toEqual([id]);
  await asks(async () => {
    await deletePost(me, id);
    expect(list.state.get().items).toEqual([]);
  });
  expect(list.state.get().items).toEqual([]);
  list.close();
  await signOutAndForget(client);
});
