// Rights to follow and read: the writes of the client, with the real rules and functions.
import { randomUUID } from "node:crypto";

import { deleteDoc, disableNetwork, doc, enableNetwork, getDoc, serverTimestamp, setDoc, Timestamp } from "firebase/firestore";
import {
  acceptRequest,
  Badge,
  block,
  changeProfile,
  countFollows,
  createGroup,
  declineRequest,
  deleteGroup,
  follow,
  getPosts,
  like,
  type Me,
  Paged,
  Reader,
  relationsFeed,
  removeFollower,
  requestFollow,
  unblock,
  unfollow,
  writePost,
} from "relationindex-client";
import { expect, test as base } from "vitest";

import { idle } from "../firestore.ts";
import { account, meOf } from "../me.ts";

/** Somebody new, with a name. */
async function join(): Promise<Me> {
  const me = account(`person-${randomUUID()}`);
  await changeProfile(me, { name: "Somebody" });
  return me;
}

const test = base.extend("ada", join).extend("bob", join);
const denied = { code: "permission-denied" };

/** Posts, and waits until followers have it. */
async function post(me: Me, text: string, audience = me.id): Promise<string> {
  const id = await writePost(me, { text, audience });
  await idle();
  return id;
}

/** Somebody's feed has these posts once the functions have run. What the cache had comes first. */
async function shows(me: Me, ids: string[]): Promise<void> {
  await idle();
  const list = new Paged(relationsFeed(me));
  list.subscribe(() => {});
  await expect.poll(() => [list.state.get().status, list.state.get().items.map(({ id }) => id)]).toEqual(["ready", ids]);
  list.close();
}

test("a follower who is removed may follow again; one who is blocked may not, until the block ends", async ({ ada, bob }) => {
  await follow(bob, ada.id);
  const id = await post(ada, "hello");
  await shows(bob, [id]);
  expect(await countFollows(ada)).toEqual({ followers: 1, following: 0 });
  expect(await countFollows(bob)).toEqual({ followers: 0, following: 1 });
  await expect(countFollows(meOf(bob.db, ada.id))).rejects.toMatchObject(denied);

  await removeFollower(ada, bob.id);
  await shows(bob, []);
  await follow(bob, ada.id);
  await shows(bob, [id]);

  await block(ada, bob.id);
  await shows(bob, []);
  await expect(follow(bob, ada.id)).rejects.toMatchObject(denied);
  await unblock(ada, bob.id);
  await shows(bob, []); // the follow does not come back
  await follow(bob, ada.id);
  await shows(bob, [id]);
});

test("a closed account is followed by request, and read by its followers", async ({ ada, bob }) => {
  await changeProfile(ada, { closed: true });
  const id = await post(ada, "among us");
  await expect(follow(bob, ada.id)).rejects.toMatchObject(denied);
  expect([...(await getPosts(bob, [id])).keys()]).toEqual([]);

  await requestFollow(bob, ada.id);
  await declineRequest(ada, bob.id);
  await expect(acceptRequest(ada, bob.id)).rejects.toMatchObject(denied);
  await requestFollow(bob, ada.id);
  await acceptRequest(ada, bob.id);
  await shows(bob, [id]);
  expect([...(await getPosts(bob, [id])).keys()]).toEqual([id]);
});

for (const [what, end] of [
  ["an unfollow", (ada, bob) => unfollow(bob, ada.id)],
  ["a removal", (ada, bob) => removeFollower(ada, bob.id)], // the follow has ended the request
] satisfies [string, (ada: Me, bob: Me) => Promise<void>][]) {
  test(`an old follow request cannot restore a follow after ${what}`, async ({ ada, bob }) => {
    await changeProfile(ada, { closed: true });
    await requestFollow(bob, ada.id);
    await changeProfile(ada, { closed: false });
    await follow(bob, ada.id);
    await end(ada, bob);
    await expect(acceptRequest(ada, bob.id)).rejects.toMatchObject(denied);
  });
}

test("what is done stays done when it is written again: a follow, a request, a block, and marks older than those of another device", async ({ ada, bob }) => {
  await follow(bob, ada.id);
  await follow(bob, ada.id);
  await changeProfile(bob, { closed: true });
  await requestFollow(ada, bob.id);
  await requestFollow(ada, bob.id);
  await block(bob, ada.id);
  await block(bob, ada.id);
  await expect(requestFollow(ada, "nobody")).rejects.toMatchObject(denied);

  const phone = account(bob.id);
  const [early, late] = [Timestamp.fromMillis(1_000), Timestamp.fromMillis(2_000)];
  await new Reader(bob).markRead(late.toMillis() * 1000);
  await new Badge(bob).markSeen(late);
  await new Reader(phone).markRead(early.toMillis() * 1000);
  await new Badge(phone).markSeen(early);
  expect((await getDoc(doc(phone.db, `users/${bob.id}/settings/read`))).data()).toEqual({ readAt: late, notifiedAt: late });
});

test("who blocks and who is blocked do not follow each other, and the follow ends before the functions have run", async ({ ada, bob }) => {
  await follow(bob, ada.id);
  await changeProfile(ada, { closed: true });
  const id = await writePost(ada, { text: "among us" });
  expect((await getPosts(bob, [id])).size).toBe(1);
  await block(ada, bob.id);
  expect((await getPosts(bob, [id])).size).toBe(0);
  await expect(follow(ada, bob.id)).rejects.toMatchObject(denied);
  await unblock(ada, bob.id);
  await follow(ada, bob.id);
});

test("an account without a profile reads, and its acts are rejected", async ({ ada }) => {
  const id = await post(ada, "hello");
  const me = account(`person-${randomUUID()}`);
  expect((await getPosts(me, [id])).size).toBe(1);
  for (const act of [() => follow(me, ada.id), () => block(me, ada.id), () => writePost(me, { text: "hello" }), () => new Reader(me).hidePost(id)]) {
    await expect(act()).rejects.toMatchObject({ ...denied, reason: "no-profile" });
  }
  await changeProfile(me, { name: "Somebody" });
  await follow(me, ada.id);
});

test("the token of a deleted account does nothing that stays", async ({ ada, bob }) => {
  await follow(bob, ada.id);
  const id = await post(ada, "hello"),
    mine = await post(bob, "mine");
  await deleteDoc(doc(bob.db, `users/${bob.id}`));
  await idle(); // the purge has ended
  const { db, id: uid } = bob,
    group = { name: "Team", closed: false, post: "anyone" as const };
  for (const act of [
    () => changeProfile(bob, { name: "Back" }),
    () => follow(bob, ada.id),
    () => block(bob, ada.id),
    () => like(bob, id),
    () => createGroup(bob, group),
    () => writePost(bob, { text: "hello" }),
    () => writePost(bob, { text: "again" }, mine),
    () => new Reader(bob).hidePost(id),
    () => new Reader(bob).markRead(1),
    () => setDoc(doc(db, `users/${uid}/settings/feed`), { hide: [] }),
    () => setDoc(doc(db, `users/${uid}/rates/profiles`), { start: serverTimestamp(), n: 0 }),
  ])
    await expect(act()).rejects.toMatchObject(denied);
});

test("what waited offline and is rejected is not taken as done because it waits a second time", async ({ ada }) => {
  const me = account(`person-${randomUUID()}`);
  await disableNetwork(me.db);
  const reader = new Reader(me);
  const write = () => [follow(me, ada.id), reader.hidePost("hello"), writePost(me, { text: "hello" }, me.id), reader.markRead(2e6)];
  const twice = [...write(), ...write()];
  const ends = Promise.allSettled(twice);
  await enableNetwork(me.db);
  expect((await ends).map(({ status }) => status)).toEqual(twice.map(() => "rejected"));
  reader.close();
});

test("members of a group read and write its posts, until it is deleted", async ({ ada, bob }) => {
  const group = await createGroup(ada, { name: "Team", closed: false, post: "members" });
  await expect(writePost(bob, { text: "let me in", audience: group })).rejects.toMatchObject(denied);
  await follow(bob, group);
  await idle();
  const id = await post(bob, "hello, team", group);
  for (const member of [ada, bob]) await shows(member, [id]);
  await deleteGroup(ada, group);
  for (const member of [ada, bob]) await shows(member, []);
});

test("a post goes to followers by default and has the #names of its text as refs; another author's id is rejected", async ({ ada, bob }) => {
  const id = await post(ada, "Frost on the #Allotment");
  expect((await getPosts(bob, [id])).get(id)).toMatchObject({ audience: ada.id, to: [], refs: ["#allotment"], kind: "", hidden: false });
  await writePost(ada, { text: "again" }, id); // it is there: nothing changes
  expect((await getPosts(bob, [id])).get(id)).toMatchObject({ text: "Frost on the #Allotment" });
  await expect(writePost(bob, { text: "mine" }, id)).rejects.toMatchObject(denied);
});
