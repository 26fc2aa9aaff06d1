// One's own posts: shown before the server has them, and settled without a jump, a gap or a double.
import { disableNetwork, enableNetwork } from "firebase/firestore";
import { editPost, myPosts, newPostId, OwnPosts, Paged, relationsFeed, writePost } from "relationindex-client";
import { expect, test } from "vitest";

import { client, idle, profile, publish, write } from "../firestore.ts";

const draft = { to: [], refs: [], kind: "" };

test("a post of my own is above the feed until the feed has it, at the same place, and once", async () => {
  const me = "own-writer", group = "g_own", other = "own-other";
  await write({ [`users/${me}`]: profile("Me"), [`users/${other}`]: profile("Other"), [`users/${group}`]: { ...profile("Group"), ownerId: other, post: "members", closed: false } });
  await publish(me, 1, "Of an earlier visit");
  await write({ [`users/${group}/followers/${me}`]: { createdAt: new Date() }, "posts/own-old": { userId: other, audience: group, hidden: false, createdAt: new Date(Date.now() - 60_000), text: "Old" } });
  await idle();

  const db = client({ sub: me });
  const own = new OwnPosts(db, me);
  const answers: boolean[][] = []; // a post is sent too soon for a look now and then to see it
  own.state.watch((posts) => void answers.push(posts.map(({ sending }) => sending)));
  const list = new Paged(relationsFeed(db, me));
  const seen: string[][] = [];
  const look = () => void seen.push([...own.above(list.state.get().items).map(({ id }) => id), ...list.state.get().items.map(({ id }) => id)]);
  await expect.poll(() => list.state.get().items.map(({ id }) => id)).toEqual(["own-old"]);
  own.state.watch(look);
  list.state.watch(look);
  await expect.poll(() => answers.length).toBeGreaterThan(1); // the one before any answer, and the server's
  expect(answers.splice(0).flat()).toEqual([]); // no post of an earlier visit

  const id = newPostId(db);
  await writePost(db, id, me, { ...draft, text: "New", audience: group });
  await expect.poll(() => answers.at(-1)).toEqual([false]);
  expect(answers[0]).toEqual([true]);
  await idle();
  await expect.poll(() => list.state.get().items.map(({ id }) => id)).toEqual([id, "own-old"]);
  expect(own.above(list.state.get().items)).toEqual([]);
  const shown = seen.slice(seen.findIndex((ids) => ids.includes(id)));
  expect(shown.length).toBeGreaterThan(2);
  for (const ids of shown) expect(ids).toEqual([id, "own-old"]);

  // An edit of an old post makes it no new one. A post that is refused goes.
  const [old] = await new Promise<{ post: Parameters<typeof editPost>[1] }[]>((resolve) => {
    const mine = myPosts(db, me);
    const stop = mine.state.watch(({ items, loading }) => {
      if (loading) return;
      resolve(items.filter((item) => item.id !== id));
      setTimeout(() => (stop(), mine.close()));
    });
  });
  await editPost(db, old!.post, "Edited");
  expect(own.above([])).toEqual([]); // what a list has shown does not come back, as when the list begins anew
  const counts: number[] = [];
  own.state.watch((posts) => counts.push(posts.length));
  const refused = writePost(db, newPostId(db), me, { ...draft, text: "x".repeat(10_001), audience: group });
  await expect(refused).rejects.toMatchObject({ code: "permission-denied" });
  await expect.poll(() => own.above([])).toEqual([]);
  expect(Math.max(...counts)).toBe(1);
  own.close();
  list.close();
});

test("posts without a server time come first, and no page starts at them", async () => {
  const me = "own-offline";
  await write({ [`users/${me}`]: profile("Me"), "posts/own-past": { userId: me, audience: me, hidden: false, createdAt: new Date(Date.now() + 60_000), text: "By a clock that is ahead" } });
  const db = client({ sub: me });
  const list = myPosts(db, me, 2);
  const ids = () => list.state.get().items.map(({ id }) => id);
  await expect.poll(ids).toEqual(["own-past"]);
  await disableNetwork(db);
  const sent = ["own-1", "own-2", "own-3"].map((id) => writePost(db, id, me, { ...draft, text: id, audience: me }));
  await expect.poll(() => ids().slice(0, 3)).toEqual(["own-3", "own-2", "own-1"]);
  list.state.get().items.forEach(({ id, order }) => expect(order.startsWith("~"), id).toBe(id !== "own-past"));

  // A page of nothing but these: the next one cannot be asked for, and that is no error.
  const other = myPosts(db, me, 2);
  await expect.poll(() => other.state.get().items.map(({ id }) => id)).toEqual(["own-3", "own-2"]);
  await other.loadMore();
  expect(other.state.get()).toMatchObject({ more: true, moreError: null });
  await enableNetwork(db);
  await Promise.all(sent);
  // By the server's clock, the post of the clock that is ahead is the newest.
  await expect.poll(() => other.state.get().items.every(({ post }) => !post.sending)).toBe(true);
  while (other.state.get().more) await other.loadMore();
  expect(other.state.get().items.map(({ id }) => id)).toEqual(["own-past", "own-3", "own-2", "own-1"]);
  list.close();
  other.close();
});
