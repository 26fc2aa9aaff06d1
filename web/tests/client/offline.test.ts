// A cache may be incomplete: a short page from it is not the end, and an empty one is not an empty list.
import { disableNetwork, doc, enableNetwork, type Firestore, getDoc, memoryLocalCache, memoryLruGarbageCollector } from "firebase/firestore";
import { byTime, followers, type Item, type ListState, Paged, relationsFeed, timelineFeed } from "relationindex-client";
import { expect, test } from "vitest";

import { at, client, follow, idle, profile, publish, write } from "../firestore.ts";

/** A Paged of anything. */
interface List {
  state: { get(): ListState<Item> };
  loadMore(): Promise<void>;
  close(): void;
}

const stateOf = (list: List) => (({ items, more, loading }) => ({ items: items.length, more, loading }))(list.state.get());

/** A cache that keeps documents without a listener, as connect's does. */
const cached = (me: string) => client({ sub: me }, at.project, at, { localCache: memoryLocalCache({ garbageCollector: memoryLruGarbageCollector() }) });

const entry = (n: number) => ({ at: n * 1e6, author: "offline-author", audience: "offline-author", kind: "" });

for (const [name, fill, list] of [
  ["followers", (me) => follow(me, "f1", "f2", "f3"), (db, me) => byTime(followers(db, me))],
  ["relations", async (me) => {
    await write({ [`users/offline-${me}`]: profile("Author") });
    await follow(`offline-${me}`, me);
    await publish(`offline-${me}`, 3);
    await idle();
  }, (db, me) => new Paged(relationsFeed(db, me))],
  ["items", (me) => write(Object.fromEntries([1, 2, 3].map((n) => [`users/${me}/timeline/i${n}`, entry(n)]))), (db, me) => new Paged(timelineFeed(db, me, "items"))],
  ["days", (me) => write({ [`users/${me}/timeline/1970-01-01`]: { day: "1970-01-01", entries: { i1: entry(1), i2: entry(2), i3: entry(3) } } }), (db, me) => new Paged(timelineFeed(db, me, "days"))],
] satisfies [string, (me: string) => Promise<void>, (db: Firestore, me: string) => List][]) {
  test(`the end of what the cache has of ${name} is not known to be the end, until the server says so`, async () => {
    const me = `reader-of-${name}`;
    await write({ [`users/${me}`]: profile("Reader"), "users/offline-author": profile("Author") });
    await fill(me);
    const db = cached(me);
    const first = list(db, me);
    await expect.poll(() => stateOf(first)).toEqual({ items: 3, more: false, loading: false });
    first.close();

    await disableNetwork(db);
    const offline = list(db, me);
    const unread = list(db, `${me}-other`);
    await expect.poll(() => stateOf(offline)).toEqual({ items: 3, more: undefined, loading: false });
    await expect.poll(() => stateOf(unread)).toEqual({ items: 0, more: undefined, loading: true });
    await offline.loadMore(); // does nothing, and fails at nothing
    expect(offline.state.get().moreError).toBeNull();
    await enableNetwork(db);
    await expect.poll(() => stateOf(offline)).toEqual({ items: 3, more: false, loading: false });
    offline.close();
    unread.close();
  });
}

test("a closed bucket missing in the cache is not the end either", async () => {
  const me = "reader-of-buckets";
  await write({
    [`users/${me}/timeline/open`]: { sequence: 2, slots: 0, entries: { i3: entry(3) } },
    [`users/${me}/timeline/past-00000001`]: { sequence: 1, entries: { i1: entry(1), i2: entry(2) } },
  });
  const db = cached(me);
  await getDoc(doc(db, "users", me, "timeline", "open"));
  await disableNetwork(db);
  const [list, unread] = [new Paged(timelineFeed(db, me, "buckets")), new Paged(timelineFeed(db, `${me}-other`, "buckets"))];
  await expect.poll(() => stateOf(list)).toEqual({ items: 1, more: undefined, loading: false });
  await expect.poll(() => stateOf(unread)).toEqual({ items: 0, more: undefined, loading: true });
  await enableNetwork(db);
  await expect.poll(() => stateOf(list)).toEqual({ items: 3, more: false, loading: false });
  list.close();
  unread.close();
});
