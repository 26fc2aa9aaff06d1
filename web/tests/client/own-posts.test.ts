// One's own posts: shown before the server has them, and settled without a jump, a gap or a double.
import { disableNetwork, enableNetwork } from "firebase/firestore";
import { editPost, feed, getPosts, Paged, type Source, writePost } from "relationindex-client";
import { expect, test } from "vitest";

import { postsOf, toPost } from "../../../client/src/posts.ts";
import { querySource, timeOrder } from "../../../client/src/query.ts";
import type { Item } from "../../../client/src/timeline.ts";
import { idle, profile, publish, write } from "../firestore.ts";
import { account } from "../me.ts";

function opened<T extends Item>(source: Source<T>): Paged<T> {
  const list = new Paged(source);
  list.subscribe(() => {});
  return list;
}

test("a post of my own is above the feed until the feed has it, at the same place, and once", async () => {
  const me = "own-writer",
    group = "g_own",
    other = "own-other";
  await write({
    [`users/${me}`]: profile("Me"),
    [`users/${other}`]: profile("Other"),
    [`users/${group}`]: { ...profile("Group"), ownerId: other, post: "members", closed: false },
  });
  await publish(me, 1, "Of an earlier visit");
  await write({
    [`users/${group}/followers/${me}`]: { createdAt: new Date() },
    "posts/own-old": { userId: other, audience: group, hidden: false, createdAt: new Date(Date.now() - 60_000), text: "Old" },
  });
  await idle();

  const mine = account(me);
  const list = opened(feed(mine));
  /** What the list has shown, state by state: a post is sent too soon for a look now and then to see it. */
  const seen: { id: string; own: boolean; sending: boolean }[][] = [];
  await expect.poll(() => list.state.get().items.map(({ id }) => id)).toEqual(["own-old"]); // and no post of an earlier visit
  list.subscribe(({ items }) => void seen.push(items.map(({ id, own, post }) => ({ id, own: own ?? false, sending: post.sending }))));

  // An answer that comes after that to the question for the own posts.
  const old = (await getPosts(mine, [`${me}-000`])).get(`${me}-000`)!;
  const id = await writePost(mine, { text: "New", audience: group });
  const states = () => [
    ...new Set(
      seen.flatMap((items) => items.filter((one) => one.id === id).map(({ own, sending }) => `${own ? "own" : "of the feed"}${sending ? ", sending" : ""}`)),
    ),
  ];
  await idle();
  await expect.poll(states).toEqual(["own, sending", "own", "of the feed"]);
  const shown = seen.slice(seen.findIndex((items) => items.some((one) => one.id === id)));
  for (const items of shown) expect(items.map((one) => one.id)).toEqual([id, "own-old"]);

  // An edit of an old post makes it no new one. A post that is refused goes.
  await editPost(mine, old, "Edited");
  seen.length = 0;
  const refused = writePost(mine, { text: "x".repeat(10_001), audience: group });
  await expect(refused).rejects.toMatchObject({ code: "permission-denied" });
  await expect.poll(() => seen.at(-1)?.map((one) => one.id)).toEqual([id, "own-old"]);
  expect(Math.max(...seen.map((items) => items.length))).toBe(3);
  list.close();

  // The same in a list that is opened later: the feed has it now.
  const later = opened(feed(mine));
  await expect.poll(() => later.state.get()).toMatchObject({ status: "ready", items: [{ id }, { id: "own-old" }] });
  expect(later.state.get().items[0]).not.toHaveProperty("own");
  later.close();
});

test("posts without a server time come first, and no page starts at them", async () => {
  const me = "own-offline";
  await write({
    [`users/${me}`]: profile("Me"),
    "posts/own-past": { userId: me, audience: me, hidden: false, createdAt: new Date(Date.now() + 60_000), text: "By a clock that is ahead" },
  });
  const mine = account(me),
    { db } = mine;
  const posts = () =>
    opened(querySource(mine, postsOf(mine), 2, (found) => ({ id: found.id, order: timeOrder(found, "createdAt"), post: toPost(mine, found) })));
  const list = posts();
  const ids = () => list.state.get().items.map(({ id }) => id);
  await expect.poll(ids).toEqual(["own-past"]);
  await disableNetwork(db);
  const sent = ["own-1", "own-2", "own-3"].map((id) => writePost(mine, { text: id }, id));
  await expect.poll(() => ids().slice(0, 3)).toEqual(["own-3", "own-2", "own-1"]);
  list.state.get().items.forEach(({ id, order }) => expect(order.startsWith("~"), id).toBe(id !== "own-past"));

  // A page of nothing but these: the next one cannot be asked for, and that is no error.
  const other = posts();
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
