// After a close, no listener is called, and no timer of the package is left.
import {
  Accounts,
  Badge,
  comments,
  deleteComment,
  feed,
  follow,
  followers,
  like,
  notifications,
  OwnCounts,
  OwnFollows,
  OwnLikes,
  ownPosts,
  Paged,
  type Item,
  type Post,
  Reader,
  type Source,
  unfollow,
  unlike,
  type Value,
  watchAccount,
  watchPost,
  writeComment,
} from "relationindex-client";
import { expect, test, vi } from "vitest";

import { noPost } from "../../../client/src/posts.ts";
import { client, idle, profile, publish, write } from "../firestore.ts";
import { meOf } from "../me.ts";

const [uid, other] = ["closer", "closer-other"];
const post = { userId: other, audience: other, hidden: false, createdAt: new Date(), text: "Hello" };

/** Changes all that is watched below: n is another each time. */
const change = (n: number) =>
  write({
    [`users/${uid}`]: { ...profile(`Me ${n}`), counts: { followers: n } },
    [`users/${other}`]: profile(`Other ${n}`),
    "posts/closer-post": { ...post, text: `Hello ${n}` },
    [`posts/closer-mine-${n}`]: { ...post, userId: uid, audience: uid },
    "posts/closer-gone": { ...post, hidden: true },
    [`posts/closer-post/comments/c${n}`]: { userId: other, createdAt: new Date(), thread: `${other}/${other}`, text: "A comment" },
    [`users/${uid}/followers/f${n}`]: { createdAt: new Date() },
    [`users/${uid}/notifications/like.p${n}`]: { verb: "like", object: `p${n}`, count: 1, actors: [other], at: new Date() },
    [`users/${uid}/settings/feed`]: { seenAt: new Date(), hide: [`x/${n}`], show: [] },
    [`users/${uid}/settings/read`]: { readAt: new Date(1000 * n) },
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
  await publish(uid, 20); // a page, and what is below it
  await write({ [`users/${other}/followers/${uid}`]: { createdAt: new Date() } });
  await idle();
  const db = client({ sub: uid });
  const [me, counting] = [meOf(db, uid, { config: { counts: true } }), meOf(db, uid)];
  const heard: string[] = [];
  const watched = (name: string) => () => void heard.push(name);
  const failed = (name: string) => (error: Error) => expect.fail(`${name}: ${error.message}`);
  const values = <T>(name: string, value: Value<T>) => void value.subscribe(watched(name));

  const readable = { ...noPost(me, "closer-post"), userId: other, audience: other } satisfies Post;
  const list = <T extends Item>(source: Source<T>) => new Paged(source);
  const lists = {
    feed: list(feed(me)),
    followers: list(followers(me)),
    posts: list(ownPosts(me)),
    notifications: list(notifications(me)),
    comments: list(comments(me, readable)),
  };
  const [badge, reader, counts, likes, follows, accounts] = [
    new Badge(me),
    new Reader(me),
    new OwnCounts(me),
    new OwnLikes(me),
    new OwnFollows(me),
    new Accounts(me),
  ];
  for (const [name, { state }] of Object.entries(lists)) values(name, state as Value<unknown>);
  values("badge", badge.unseen);
  values("reader", reader.settings);
  values("readAt", reader.readAt);
  values("counts", counts.state);
  values("like", likes.of("closer-post"));
  values("follow", follows.of({ id: other, closed: false }));
  values("request", follows.of({ id: other, closed: true }));
  const stops = [
    watchAccount(me, other, watched("account"), failed("account")),
    watchPost(me, "closer-post", watched("post"), failed("post")),
    watchPost(me, "closer-gone", watched("refused post"), failed("refused post")), // waits to ask again
  ];
  await expect.poll(() => lists.feed.state.get().items.length).toBe(1);
  await expect.poll(() => badge.unseen.get()).toBe(1);
  heard.length = 0;
  await change(2);
  await idle(); // while functions write the profile, the emulator may reject an act, whose rule reads it
  await like(me, "closer-post");
  await expect
    .poll(() =>
      ["account", "post", "comments", "feed", "followers", "posts", "notifications", "badge", "reader", "readAt", "counts"].filter(
        (name) => !heard.includes(name),
      ),
    )
    .toEqual([]);
  await expect.poll(() => timers.size).toBe(1); // that of the refused post

  // Closed while all of them have something under way.
  const uncounted = new OwnCounts(counting);
  counting.acts.feed(true);
  const waiting = accounts.get(other);
  likes.of("another-post");
  follows.of({ id: "another", closed: false });
  expect(timers.size).toBe(5);
  expect(lists.posts.state.get().more).toBe(true);
  const more = lists.posts.loadMore();
  const toggled = likes.toggle("closer-post", 0).catch(() => {});
  for (const one of [...Object.values(lists), badge, reader, counts, uncounted, likes, follows, accounts]) one.close();
  for (const stop of stops) stop();
  heard.length = 0;
  expect([...timers]).toEqual([]);
  await expect(waiting).rejects.toMatchObject({ code: "cancelled" });
  await Promise.all([more, toggled]);

  await change(3);
  await idle();
  await unfollow(me, other);
  await follow(me, other);
  await unlike(me, "closer-post");
  await writeComment(me, readable, "Another");
  await deleteComment(me, { post: "closer-post", id: "c1" }).catch(() => {});
  await idle();
  const hears: string[] = [];
  const again = watchAccount(me, other, (account) => hears.push(account?.name ?? ""), failed("again"));
  await expect.poll(() => hears.at(-1)).toBe("Other 3"); // by now, the others would have heard
  again();
  expect(heard).toEqual([]);
  expect([...timers]).toEqual([]);
  vi.unstubAllGlobals();
});
