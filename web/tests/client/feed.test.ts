// A client from its config to its feed, by the real Feed and the real functions.
import { randomUUID } from "node:crypto";

import { initializeApp, SDK_VERSION } from "firebase/app";
import { createUserWithEmailAndPassword } from "firebase/auth";
import { changeProfile, type Client, type Config, connect, type Entry, type Fields, feed, follow, hasUnsent, OwnFollows, Paged, signOutAndForget, writePost } from "relationindex-client";
import { expect, inject, test } from "vitest";

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

function opened(...sources: Parameters<typeof shown>[0][]): ReturnType<typeof shown>[] {
  return sources.map(shown);
}

test("a client signs up, follows, and reads its feed to its end, by Feed and by relations", async () => {
  expect(SDK_VERSION.split(".")[0]).toBe(inject("firebase"));
  const author = `client-author-${inject("firebase")}`;
  await register(author, "Author");
  await publish(author, 25, "Old");
  const client = connect(config);
  const { user } = await createUserWithEmailAndPassword(client.auth, `client-${Date.now()}@example.com`, "correct horse");
  await changeAccount(client.db, user.uid, profile("Reader"));
  await follow(client.db, user.uid, author);
  const following = new Value(false);
  const stop = watchFollow(client.db, user.uid, author, (now) => following.set(now.following && !now.sending), () => {});
  await expect.poll(() => following.get()).toBe(true);
  stop();
  await idle();

  const lists = [feed(client, user.uid, { every: 300 }), feed({ ...client, config: withoutFeed }, user.uid)].map((source: Source<Entry>) => new Paged(source));
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
  await writePost(client.db, newPostId(client.db), user.uid, { text: "Hello", audience: user.uid, to: [], refs: [], kind: "" });
  expect(await hasUnsent(client.db)).toBe(false);
  await forget(client);
  expect(client.auth.currentUser).toBeNull();
});

test("a feed goes on below a first page of relations whose posts are deleted", async () => {
  const author = `below-${inject("firebase")}`;
  await register(author, "Below");
  await publish(author, 1);
  await idle();
  const client = connect(config);
  const { user } = await createUserWithEmailAndPassword(client.auth, `below-${Date.now()}@example.com`, "correct horse");
  const relation = (n: number, postId = `${user.uid}-${n}`) =>
    [`_relations/${postId}_00001`, { postId, userId: author, audience: author, createdAt: new Date(Date.now() - n * 1000), followers: [user.uid] }] as const;
  await write(Object.fromEntries([...Array.from({ length: 21 }, (_, n) => relation(n)), relation(21, `${author}-000`)]));
  const list = new Paged(feed({ ...client, config: withoutFeed }, user.uid));
  await expect.poll(() => list.state.get()).toMatchObject({ items: [], loading: false, more: true, barren: true });
  await list.loadMore();
  expect(list.state.get()).toMatchObject({ items: [{ id: `${author}-000` }], more: false, barren: false });
  list.close();
  await forget(client);
});
