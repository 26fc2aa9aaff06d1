// Rights to follow and read: the writes of the client, with the real rules and functions.
import { randomUUID } from "node:crypto";

import { deleteDoc, disableNetwork, doc, enableNetwork, type Firestore, getDoc, serverTimestamp, setDoc, Timestamp } from "firebase/firestore";
import {
  accept, ask, Badge, block, changeAccount, countFollows, createGroup, deleteGroup, endRequest, follow, getPosts, like, newPostId, Paged, Reader, relationsFeed, removeFollower, setClosed, unblock, unfollow,
  writePost,
} from "relationindex-client";
import { expect, test as base } from "vitest";

import { client, idle, profile } from "../firestore.ts";

interface Person {
  uid: string;
  db: Firestore;
}

/** Somebody new, with a name. */
async function join(): Promise<Person> {
  const uid = `person-${randomUUID()}`;
  const db = client({ sub: uid });
  await changeAccount(db, uid, profile("Somebody"));
  return { uid, db };
}

const test = base.extend("ada", join).extend("bob", join);
const denied = { code: "permission-denied" };

/** Posts, and waits until followers have it. */
async function post({ db, uid }: Person, text: string, audience = uid): Promise<string> {
  const id = newPostId(db);
  await writePost(db, id, uid, { text, audience });
  await idle();
  return id;
}

/** Somebody's feed has these posts once the functions have run. What the cache had comes first. */
async function shows({ db, uid }: Person, ids: string[]): Promise<void> {
  await idle();
  const list = new Paged(relationsFeed(db, uid));
  await expect.poll(() => [list.state.get().loading, list.state.get().items.map(({ id }) => id)]).toEqual([false, ids]);
  list.close();
}

test("a follower who is removed may follow again; one who is blocked may not, until the block ends", async ({ ada, bob }) => {
  await follow(bob.db, bob.uid, ada.uid);
  const id = await post(ada, "hello");
  await shows(bob, [id]);
  expect(await countFollows(ada.db, ada.uid)).toEqual({ followers: 1, following: 0 });
  expect(await countFollows(bob.db, bob.uid)).toEqual({ followers: 0, following: 1 });
  await expect(countFollows(bob.db, ada.uid)).rejects.toMatchObject(denied);

  await removeFollower(ada.db, ada.uid, bob.uid);
  await shows(bob, []);
  await follow(bob.db, bob.uid, ada.uid);
  await shows(bob, [id]);

  await block(ada.db, ada.uid, bob.uid);
  await shows(bob, []);
  await expect(follow(bob.db, bob.uid, ada.uid)).rejects.toMatchObject(denied);
  await unblock(ada.db, ada.uid, bob.uid);
  await shows(bob, []); // the follow does not come back
  await follow(bob.db, bob.uid, ada.uid);
  await shows(bob, [id]);
});

test("a closed account is followed by request, and read by its followers", async ({ ada, bob }) => {
  await setClosed(ada.db, ada.uid, true);
  const id = await post(ada, "among us");
  await expect(follow(bob.db, bob.uid, ada.uid)).rejects.toMatchObject(denied);
  expect([...(await getPosts(bob.db, [id])).keys()]).toEqual([]);

  await ask(bob.db, bob.uid, ada.uid);
  await endRequest(ada.db, ada.uid, bob.uid);
  await expect(accept(ada.db, ada.uid, bob.uid)).rejects.toMatchObject(denied);
  await ask(bob.db, bob.uid, ada.uid);
  await accept(ada.db, ada.uid, bob.uid);
  await shows(bob, [id]);
  expect([...(await getPosts(bob.db, [id])).keys()]).toEqual([id]);
});

for (const [what, end] of [
  ["an unfollow", (ada, bob) => unfollow(bob.db, bob.uid, ada.uid)],
  ["a removal", (ada, bob) => removeFollower(ada.db, ada.uid, bob.uid)], // the follow has ended the request
] satisfies [string, (ada: Person, bob: Person) => Promise<void>][]) {
  test(`an old follow request cannot restore a follow after ${what}`, async ({ ada, bob }) => {
    await setClosed(ada.db, ada.uid, true);
    await ask(bob.db, bob.uid, ada.uid);
    await setClosed(ada.db, ada.uid, false);
    await follow(bob.db, bob.uid, ada.uid);
    await end(ada, bob);
    await expect(accept(ada.db, ada.uid, bob.uid)).rejects.toMatchObject(denied);
  });
}

test("what is done stays done when it is written again: a follow, a request, a block, and marks older than those of another device", async ({ ada, bob }) => {
  await follow(bob.db, bob.uid, ada.uid);
  await follow(bob.db, bob.uid, ada.uid);
  await setClosed(bob.db, bob.uid, true);
  await ask(ada.db, ada.uid, bob.uid);
  await ask(ada.db, ada.uid, bob.uid);
  await block(bob.db, bob.uid, ada.uid);
  await block(bob.db, bob.uid, ada.uid);
  await expect(ask(ada.db, ada.uid, "nobody")).rejects.toMatchObject(denied);

  const phone = client({ sub: bob.uid });
  const [early, late] = [Timestamp.fromMillis(1_000), Timestamp.fromMillis(2_000)];
  await new Reader(bob.db, bob.uid).markRead(late.toMillis() * 1000);
  await new Badge(bob.db, bob.uid).markSeen(late);
  await new Reader(phone, bob.uid).markRead(early.toMillis() * 1000);
  await new Badge(phone, bob.uid).markSeen(early);
  expect((await getDoc(doc(phone, `users/${bob.uid}/settings/read`))).data()).toEqual({ readAt: late, notifiedAt: late });
});

test("who blocks and who is blocked do not follow each other, and the follow ends before the functions have run", async ({ ada, bob }) => {
  await follow(bob.db, bob.uid, ada.uid);
  await setClosed(ada.db, ada.uid, true);
  const id = newPostId(ada.db);
  await writePost(ada.db, id, ada.uid, { text: "among us" });
  expect((await getPosts(bob.db, [id])).size).toBe(1);
  await block(ada.db, ada.uid, bob.uid);
  expect((await getPosts(bob.db, [id])).size).toBe(0);
  await expect(follow(ada.db, ada.uid, bob.uid)).rejects.toMatchObject(denied);
  await unblock(ada.db, ada.uid, bob.uid);
  await follow(ada.db, ada.uid, bob.uid);
});

test("an account without a profile reads, and its acts are rejected", async ({ ada }) => {
  const id = await post(ada, "hello");
  const me = `person-${randomUUID()}`;
  const db = client({ sub: me });
  expect((await getPosts(db, [id])).size).toBe(1);
  for (const act of [follow(db, me, ada.uid), block(db, me, ada.uid), writePost(db, newPostId(db), me, { text: "hello" }), new Reader(db, me).hidePost(id)]) {
    await expect(act).rejects.toMatchObject(denied);
  }
  await changeAccount(db, me, profile("Somebody"));
  await follow(db, me, ada.uid);
});

test("the token of a deleted account does nothing that stays", async ({ ada, bob }) => {
  await follow(bob.db, bob.uid, ada.uid);
  const id = await post(ada, "hello"), mine = await post(bob, "mine");
  await deleteDoc(doc(bob.db, `users/${bob.uid}`));
  await idle(); // the purge has ended
  const { db, uid } = bob, group = { name: "Team", closed: false, post: "anyone" as const };
  for (const act of [
    () => changeAccount(db, uid, profile("Back")), () => follow(db, uid, ada.uid), () => block(db, uid, ada.uid), () => like(db, uid, id), () => createGroup(db, uid, group),
    () => writePost(db, newPostId(db), uid, { text: "hello" }), () => writePost(db, mine, uid, { text: "again" }), () => new Reader(db, uid).hidePost(id), () => new Reader(db, uid).markRead(1),
    () => setDoc(doc(db, `users/${uid}/settings/feed`), { hide: [] }), () => setDoc(doc(db, `users/${uid}/rates/profiles`), { start: serverTimestamp(), n: 0 }),
  ]) await expect(act()).rejects.toMatchObject(denied);
});

test("what waited offline and is rejected is not taken as done because it waits a second time", async ({ ada }) => {
  const me = `person-${randomUUID()}`;
  const db = client({ sub: me });
  await disableNetwork(db);
  const reader = new Reader(db, me);
  const write = () => [follow(db, me, ada.uid), reader.hidePost("hello"), writePost(db, me, me, { text: "hello" }), reader.markRead(2e6)];
  const twice = [...write(), ...write()];
  const ends = Promise.allSettled(twice);
  await enableNetwork(db);
  expect((await ends).map(({ status }) => status)).toEqual(twice.map(() => "rejected"));
  reader.close();
});

test("members of a group read and write its posts, until it is deleted", async ({ ada, bob }) => {
  const group = await createGroup(ada.db, ada.uid, { name: "Team", closed: false, post: "members" });
  await expect(writePost(bob.db, newPostId(bob.db), bob.uid, { text: "let me in", audience: group })).rejects.toMatchObject(denied);
  await follow(bob.db, bob.uid, group);
  await idle();
  const id = await post(bob, "hello, team", group);
  for (const member of [ada, bob]) await shows(member, [id]);
  await deleteGroup(ada.db, group);
  for (const member of [ada, bob]) await shows(member, []);
});

test("a post goes to followers by default and has the #names of its text as refs; another author's id is rejected", async ({ ada, bob }) => {
  const id = await post(ada, "Frost on the #Allotment");
  expect((await getPosts(bob.db, [id])).get(id)).toMatchObject({ audience: ada.uid, to: [], refs: ["#allotment"], kind: "", hidden: false });
  await writePost(ada.db, id, ada.uid, { text: "again" }); // it is there: nothing changes
  expect((await getPosts(bob.db, [id])).get(id)).toMatchObject({ text: "Frost on the #Allotment" });
  await expect(writePost(bob.db, id, bob.uid, { text: "mine" })).rejects.toMatchObject(denied);
});
