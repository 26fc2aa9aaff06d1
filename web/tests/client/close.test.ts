// After a close, no listener is called, and no timer of the package is left.
import {
  Badge, byTime, deleteComment, follow, followers, like, myPosts, Names, notifications, OwnCounts, OwnLikes, OwnPosts, Paged, Reader, relationsFeed, unfollow, unlike, type Value, watchAccount,
  watchComments, watchFollow, watchPost, watchRequest, writeComment, type Post, noPost,
} from "relationindex-client";
import { expect, test, vi } from "vitest";

import { client, idle, profile, write } from "../firestore.ts";

const [me, other] = ["closer", "closer-other"];
const post = { userId: other, audience: other, hidden: false, createdAt: new Date(), text: "Hello" };

/** Changes all that is watched below: n is another each time. */
const change = (n: number) => write({
  [`users/${me}`]: { ...profile(`Me ${n}`), counts: { followers: n } },
  [`users/${other}`]: profile(`Other ${n}`),
  "posts/closer-post": { ...post, text: `Hello ${n}` },
  [`posts/closer-mine-${n}`]: { ...post, userId: me, audience: me },
  "posts/closer-gone": { ...post, hidden: true },
  [`posts/closer-post/comments/c${n}`]: { userId: other, createdAt: new Date(), thread: `${other}/${other}`, text: "A comment" },
  [`users/${me}/followers/f${n}`]: { createdAt: new Date() },
  [`users/${me}/notifications/like.p${n}`]: { verb: "like", object: `p${n}`, count: 1, actors: [other], at: new Date() },
  [`users/${me}/settings/feed`]: { seenAt: new Date(), hide: [`x/${n}`], show: [] },
  [`users/${me}/settings/read`]: { readAt: new Date(1000 * n) },
});

test("a stopped watch and a closed client call no listener and leave no timer", async () => {
  /** Timers of the package. The SDK has its own. */
  const timers = new Set<unknown>();
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  vi.stubGlobal("setTimeout", (run: (...given: unknown[]) => void, ...rest: unknown[]) => {
    const ours = /\/client\/src\//.test(new Error().stack?.split("\n")[2] ?? "");
    const timer: unknown = set((...given: unknown[]) => (timers.delete(timer), run(...given)), ...(rest as [number]));
    if (ours) timers.add(timer);
    return timer;
  });
  vi.stubGlobal("clearTimeout", (timer: Parameters<typeof clear>[0]) => (timers.delete(timer), clear(timer)));

  await change(1);
  await write({ [`users/${other}/followers/${me}`]: { createdAt: new Date() } });
  await idle();
  const db = client({ sub: me });
  const heard: string[] = [];
  const watched = (name: string) => () => void heard.push(name);
  const failed = (name: string) => (error: Error) => expect.fail(`${name}: ${error.message}`);
  const values = <T>(name: string, value: Value<T>) => void value.watch(watched(name));

  const lists = { feed: new Paged(relationsFeed(db, me)), followers: byTime(followers(db, me)), posts: myPosts(db, me, 1), notifications: notifications(db, me) };
  const [badge, reader, counts, likes, own, names] = [new Badge(db, me), new Reader(db, me), new OwnCounts(db, me, true), new OwnLikes(db, me), new OwnPosts(db, me), new Names(db)];
  for (const [name, list] of Object.entries(lists)) values(name, list.state as Value<unknown>);
  values("badge", badge.unseen);
  values("reader", reader.settings);
  values("readAt", reader.readAt);
  values("counts", counts.state);
  values("own", own.state);
  values("like", likes.of("closer-post"));
  const readable = { ...noPost("closer-post"), userId: other, audience: other } satisfies Post;
  const stops = [
    watchAccount(db, other, watched("account"), failed("account")),
    watchFollow(db, me, other, watched("follow"), failed("follow")),
    watchRequest(db, me, other, watched("request"), failed("request")),
    watchPost(db, "closer-post", watched("post"), failed("post")),
    watchPost(db, "closer-gone", watched("refused post"), failed("refused post")), // waits to ask again
    watchComments(db, readable, watched("comments"), failed("comments")),
  ];
  await expect.poll(() => lists.feed.state.get().items.length).toBe(1);
  await expect.poll(() => badge.unseen.get()).toBe(1);
  heard.length = 0;
  await change(2);
  await idle(); // while functions write the profile, the emulator may reject an act, whose rule reads it
  await like(db, me, "closer-post");
  await expect.poll(() => ["account", "post", "comments", "feed", "followers", "posts", "notifications", "badge", "reader", "readAt", "counts"].filter((name) => !heard.includes(name))).toEqual([]);
  await expect.poll(() => timers.size).toBe(1); // that of the refused post

  // Closed while all of them have something under way.
  const uncounted = new OwnCounts(db, me, false);
  await uncounted.refreshSoon();
  const waiting = names.get(other);
  likes.of("another-post");
  expect(timers.size).toBe(4);
  expect(lists.posts.state.get().more).toBe(true);
  const more = lists.posts.loadMore();
  const toggled = likes.toggle("closer-post", 0).catch(() => {});
  for (const one of [...Object.values(lists), badge, reader, counts, uncounted, likes, own, names]) one.close();
  for (const stop of stops) stop();
  heard.length = 0;
  expect([...timers]).toEqual([]);
  await expect(waiting).rejects.toMatchObject({ code: "cancelled" });
  await Promise.all([more, toggled]);

  await change(3);
  await unfollow(db, me, other);
  await follow(db, me, other);
  await unlike(db, me, "closer-post");
  await writeComment(db, readable, me, "Another");
  await deleteComment(db, "closer-post", "c1").catch(() => {});
  await idle();
  const hears: string[] = [];
  const again = watchAccount(db, other, (account) => hears.push(account?.name ?? ""), failed("again"));
  await expect.poll(() => hears.at(-1)).toBe("Other 3"); // by now, the others would have heard
  again();
  expect(heard).toEqual([]);
  expect([...timers]).toEqual([]);
  vi.unstubAllGlobals();
});
