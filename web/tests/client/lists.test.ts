// Lists below their live page: what the account deletes or changes there, on the emulator.
import { doc, serverTimestamp, writeBatch } from "firebase/firestore";
import {
  type AccountItem,
  block,
  blocked,
  comments,
  declineRequest,
  deleteComment,
  deletePost,
  editPost,
  follow,
  followers,
  following,
  followRequests,
  type Item,
  type Me,
  moderatePost,
  ownPosts,
  Paged,
  type PostItem,
  postsToAudience,
  removeFollower,
  repost,
  type Source,
  unblock,
  undoRepost,
  unfollow,
} from "relationindex-client";
import { expect, test } from "vitest";

import { noPost } from "../../../client/src/posts.ts";
import { client, db, idle, profile, publish, register, write } from "../firestore.ts";
import { account, meOf } from "../me.ts";

function opened<T extends Item>(source: Source<T>): Paged<T> {
  const list = new Paged(source);
  list.subscribe(() => {});
  return list;
}

/** A list of 25, with both pages. */
async function both<T extends Item>(source: Source<T>): Promise<Paged<T>> {
  const list = opened(source);
  await expect.poll(() => list.state.get()).toMatchObject({ status: "ready", more: true });
  expect(list.state.get().items.length).toBe(20);
  await list.loadMore();
  expect(list.state.get()).toMatchObject({ more: false, moreError: null });
  expect(list.state.get().items.length).toBe(25);
  return list;
}

const ids = <T extends Item>(list: Paged<T>) => list.state.get().items.map(({ id }) => id);

test("a post below the first page goes when it is deleted, and changes when it is edited", async () => {
  const me = account("lists-author");
  await register(me.id, "Author");
  await publish(me.id, 25);
  const list = await both(ownPosts(me));
  const [last, before] = [list.state.get().items[24]!.post, list.state.get().items[23]!.post];
  await deletePost(me, last.id);
  expect(ids(list)).not.toContain(last.id);
  expect(list.state.get().items.length).toBe(24);

  await editPost(me, before, "Edited #now");
  expect(list.state.get().items[23]).toMatchObject({ id: before.id, post: { text: "Edited #now", refs: ["#now"], edited: true } });
  list.close();
});

test("a post below the first page changes when a moderator hides it", async () => {
  const author = "lists-moderated";
  await register(author, "Author");
  await register("lists-moderator", "Moderator");
  await publish(author, 25);
  const me = meOf(client({ sub: "lists-moderator", moderator: true }), "lists-moderator");
  const list = await both(postsToAudience(me, author, { moderator: true }));
  const { id } = list.state.get().items[24]!;
  await moderatePost(me, id, true);
  expect(list.state.get().items[24]).toMatchObject({ id, post: { hidden: true, judged: true } });
  await moderatePost(me, id, false);
  expect(list.state.get().items[24]).toMatchObject({ id, post: { hidden: false, judged: false } });
  list.close();
});

const names = Array.from({ length: 25 }, (_, n) => `of-lists-${String(n).padStart(2, "0")}`);

/** Writes a document for each name in one commit, as it may be about an account or a group. */
async function fill(collection: string, more: (name: string) => object = () => ({})): Promise<void> {
  const batch = writeBatch(db);
  for (const name of names) batch.set(doc(db, collection, name), { createdAt: serverTimestamp(), ...more(name) });
  await batch.commit();
}

const group = "g_lists";
for (const [what, source, path, act, of] of [
  ["a follower who is removed", followers, "followers", removeFollower, "lists-followed"],
  ["an account that is no longer blocked", blocked, "blocked", unblock, "lists-blocker"],
  ["a request that is declined", followRequests, "requests", declineRequest, "lists-asked"],
  ["a group's member who is removed", (me) => followers(me, group), "followers", (me, id) => removeFollower(me, { id, group }), group],
  ["an account that a group no longer blocks", (me) => blocked(me, group), "blocked", (me, id) => unblock(me, { id, group }), group],
  ["a group's request that is declined", (me) => followRequests(me, group), "requests", (me, id) => declineRequest(me, { id, group }), group],
] satisfies [string, (me: Me) => Source<Item>, string, (me: Me, id: string) => Promise<void>, string][]) {
  test(`${what} leaves a list below its first page`, async () => {
    const me = account(of === group ? "lists-owner" : of);
    await write({ [`users/${me.id}`]: { ...profile("Me"), closed: true } });
    await write({ [`users/${group}`]: { ...profile("Group"), ownerId: "lists-owner", post: "members", closed: true } });
    await fill(`users/${of}/${path}`, (name) => (path === "requests" ? { followerId: name } : {}));
    await idle();
    const list = await both(source(me));
    const last = ids(list).at(-1)!;
    await act(me, last);
    expect(ids(list)).not.toContain(last);
    expect(ids(list).length).toBe(24);
    list.close();
  });
}

test("25 comments are two pages, and one of the second goes when it is deleted", async () => {
  const author = "lists-commented";
  await register(author, "Author");
  await publish(author, 1);
  const id = `${author}-000`;
  await write(
    Object.fromEntries(
      names.map((name, n) => [
        `posts/${id}/comments/${name}`,
        { userId: author, createdAt: new Date(1000 * n), thread: `${author}/${author}`, text: `Comment ${n}` },
      ]),
    ),
  );
  const me = account(author);
  const list = await both(comments(me, { ...noPost(me, id), userId: author, audience: author }));
  expect(list.state.get().items.map(({ text }) => text)).toEqual(names.map((_, n) => `Comment ${24 - n}`));
  await deleteComment(me, list.state.get().items[24]!);
  expect(list.state.get().items.length).toBe(24);
  list.close();
});

test("what is written again after it was deleted is in its lists again", async () => {
  const me = account("lists-again"),
    other = "lists-again-other";
  await write({ [`users/${me.id}`]: profile("Me"), [`users/${other}`]: profile("Other") });
  await publish(other, 1);
  const post = `${other}-000`;
  const [posts, hindered, follows] = [opened(ownPosts(me)), opened(blocked(me)), opened(following(me))];
  const soon = (list: Paged<PostItem> | Paged<AccountItem>, want: string[]) =>
    expect.poll(() => list.state.get().items.map(({ id }) => id), { timeout: 10_000 }).toEqual(want);
  for (let twice = 0; twice < 2; twice++) {
    await repost(me, post);
    await soon(posts, [`${me.id}.${post}`]);
    await undoRepost(me, post);
    await soon(posts, []);
    await follow(me, other);
    await idle();
    await soon(follows, [other]);
    await unfollow(me, other);
    await soon(follows, []);
  }
  for (let twice = 0; twice < 2; twice++) {
    await block(me, other);
    await soon(hindered, [other]);
    await unblock(me, other);
    await soon(hindered, []);
  }
  for (const list of [posts, hindered, follows]) list.close();
});
