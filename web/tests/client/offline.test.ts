// A cache may be incomplete: a short page from it is not the end, and an empty one is not an empty list.
import { disableNetwork, doc, enableNetwork, getDoc, memoryLocalCache, memoryLruGarbageCollector } from "firebase/firestore";
import { followers, type Item, type ListState, type Me, Paged, relationsFeed, type Source, timelineFeed } from "relationindex-client";
import { expect, test } from "vitest";

import { at, client, follow, idle, profile, publish, write } from "../firestore.ts";
import { meOf } from "../me.ts";

/** A Paged of anything. */
interface List {
  state: { get(): ListState<Item> };
  loadMore(): Promise<void>;
  close(): void;
}

const stateOf = (list: List) => (({ items, more, status }) => ({ items: items.length, more, status }))(list.state.get());

function opened<T extends Item>(source: Source<T>): Paged<T> {
  const list = new Paged(source);
  list.subscribe(() => {});
  return list;
}

/** A cache that keeps documents without a listener, as connect's does. */
const cached = (me: string) => client({ sub: me }, at.project, at, { localCache: memoryLocalCache({ garbageCollector: memoryLruGarbageCollector() }) });

const entry = (n: number) => ({ at: n * 1e6, author: "offline-author", audience: "offline-author", kind: "" });

for (const [name, fill, list] of [
  ["followers", (me) => follow(me, "f1", "f2", "f3"), (me) => opened(followers(me))],
  [
    "relations",
    async (me) => {
      await write({ [`users/offline-${me}`]: profile("Author") });
      await follow(`offline-${me}`, me);
      await publish(`offline-${me}`, 3);
      await idle();
    },
    (me) => opened(relationsFeed(me)),
  ],
  ["items", (me) => write(Object.fromEntries([1, 2, 3].map((n) => [`users/${me}/timeline/i${n}`, entry(n)]))), (me) => opened(timelineFeed(me, "items"))],
  [
    "days",
    (me) => write({ [`users/${me}/timeline/1970-01-01`]: { day: "1970-01-01", entries: { i1: entry(1), i2: entry(2), i3: entry(3) } } }),
    (me) => opened(timelineFeed(me, "days")),
  ],
] satisfies [string, (me: string) => Promise<void>, (me: Me) => List][]) {
  test(`the end of what the cache has of ${name} is not known to be the end, until the server says so`, async () => {
    const me = `reader-of-${name}`;
    await write({ [`users/${me}`]: profile("Reader"), "users/offline-author": profile("Author") });
    await fill(me);
    const db = cached(me);
    const first = list(meOf(db, me));
    await expect.poll(() => stateOf(first)).toEqual({ items: 3, more: false, status: "ready" });
    first.close();

    await disableNetwork(db);
    const offline = list(meOf(db, me));
    const unread = list(meOf(db, `${me}-other`));
    await expect.poll(() => stateOf(offline)).toEqual({ items: 3, more: false, status: "offline" });
    await expect.poll(() => stateOf(unread)).toEqual({ items: 0, more: false, status: "loading" });
    await offline.loadMore(); // does nothing, and fails at nothing
    expect(offline.state.get().moreError).toBeNull();
    await enableNetwork(db);
    await expect.poll(() => stateOf(offline)).toEqual({ items: 3, more: false, status: "ready" });
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
  const [list, unread] = [opened(timelineFeed(meOf(db, me), "buckets")), opened(timelineFeed(meOf(db, `${me}-other`), "buckets"))];
  await expect.poll(() => stateOf(list)).toEqual({ items: 1, more: false, status: "offline" });
  await expect.poll(() => stateOf(unread)).toEqual({ items: 0, more: false, status: "loading" });
  await enableNetwork(db);
  await expect.poll(() => stateOf(list)).toEqual({ items: 3, more: false, status: "ready" });
  list.close();
  unread.close();
});
