// Likes, notifications and what was seen, without a browser. The database is one without triggers: tests write what functions would.
import { deleteDoc as remove, doc, type Firestore, getDocFromServer, Timestamp } from "firebase/firestore";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { Badge, like, notifications, ownLikes, OwnLikes, Paged, Reader, unlike } from "relationindex-client";
import { client, profile, write } from "../firestore.ts";
import { account } from "../me.ts";

const project = "notified";
const owner = client("owner", project);
const fields = async (db: Firestore, path: string) => (await getDocFromServer(doc(db, path))).data();

/** Minutes after 2026 began. */
const minute = (n: number) => Timestamp.fromMillis(Date.UTC(2026, 0, 1) + n * 60_000);
const note = (n: number) => ({ verb: "like", object: `p${n}`, count: 1, actors: ["ben"], at: minute(n), expireAt: minute(n + 129_600) });

/** Writes notifications of an account, those of these minutes. */
const notify = (uid: string, ...minutes: number[]) => write(Object.fromEntries(minutes.map((n) => [`users/${uid}/notifications/like.p${n}`, note(n)])), owner);

/** The reader of a page that nobody hides. */
beforeAll(() => void vi.stubGlobal("document", { hidden: false, addEventListener: () => {}, removeEventListener: () => {} }));
afterAll(() => void vi.unstubAllGlobals());

/** An act needs a profile. */
beforeAll(() => write(Object.fromEntries(["ada", "bob", "cy", "eve", "fay", "hal"].map((id) => [`users/${id}`, profile(id)])), owner));

const post = { userId: "ada", audience: "ada", hidden: false, createdAt: minute(0), text: "Hello" };

test("a post is liked once, and one query says which of a page I like", async () => {
  await write({ "posts/p1": post, "posts/p2": post, "users/ada/blocked/cy": { createdAt: minute(0) } }, owner);
  const bob = account("bob", {}, project);
  await like(bob, "p1");
  await like(bob, "p1");
  expect(await fields(owner, "posts/p1/likes/bob")).toEqual({ userId: "bob", postId: "p1", createdAt: expect.any(Timestamp) });
  expect(await ownLikes(bob, ["p1", "p2", "none"])).toEqual(new Set(["p1"]));
  expect(await ownLikes(bob, ["p2"])).toEqual(new Set());
  await unlike(bob, "p1");
  await unlike(bob, "p1");
  expect(await ownLikes(bob, ["p1", "p2"])).toEqual(new Set());

  const cy = account("cy", {}, project);
  await expect(like(cy, "p1")).rejects.toMatchObject({ code: "permission-denied" }); // blocked
});

test("my likes show at once, and are undone when rejected", async () => {
  await write({ "posts/p3": post, "posts/p4": post, "users/ada/blocked/cy": { createdAt: minute(0) } }, owner);
  const bob = account("bob", {}, project);
  await like(bob, "p3");
  const likes = new OwnLikes(bob);
  const many = Array.from({ length: 35 }, (_, n) => likes.of(`of-a-long-page-${n}`)); // two queries
  const [third, fourth] = [likes.of("p3"), likes.of("p4")];
  await expect.poll(() => [third.get()?.mine, fourth.get()?.mine]).toEqual([true, false]);
  await expect.poll(() => many.every((one) => one.get()?.mine === false)).toBe(true);

  const liked = likes.toggle("p4", 7);
  expect(fourth.get()).toEqual({ mine: true, ahead: 1, counted: 7 });
  await liked;
  const back = likes.toggle("p4", 7);
  expect(fourth.get()).toEqual({ mine: false, ahead: 0, counted: 7 });
  await back;
  expect(await fields(owner, "posts/p4/likes/bob")).toBeUndefined();

  const refused = new OwnLikes(account("cy", {}, project));
  await expect.poll(() => refused.of("p3").get()?.mine).toBe(false);
  const tried = refused.toggle("p3", 1);
  expect(refused.of("p3").get()?.mine).toBe(true);
  await expect(tried).rejects.toMatchObject({ code: "permission-denied" });
  expect(refused.of("p3").get()?.mine).toBe(false);
});

test("notifications are the newest 20, then those below", async () => {
  await notify("dan", ...Array.from({ length: 25 }, (_, n) => n));
  const list = new Paged(notifications(account("dan", {}, project)));
  list.subscribe(() => {});
  const shown = () => list.state.get().items.map(({ object }) => object);
  await expect.poll(shown).toEqual(Array.from({ length: 20 }, (_, n) => `p${24 - n}`));
  await list.loadMore();
  expect(shown().slice(20)).toEqual(["p4", "p3", "p2", "p1", "p0"]);
  expect(list.state.get().items[0]).toMatchObject({ id: "like.p24", verb: "like", count: 1, actors: ["ben"], at: minute(24) });
  list.close();
});

test("the badge counts new notifications up to 100 until seen; read ones stay read", async () => {
  await notify("eve", ...Array.from({ length: 98 }, (_, n) => n));
  const eve = account("eve", {}, project);
  const badge = new Badge(eve);
  const reader = new Reader(eve);
  await expect.poll(() => badge.unseen.get()).toBe(98);
  await notify("eve", 98, 99, 100, 101);
  await expect.poll(() => badge.unseen.get()).toBe(100);

  await reader.markRead(minute(1).toMillis() * 1000);
  const seen = badge.markSeen(minute(101));
  expect(badge.unseen.get()).toBe(0);
  await seen;
  await badge.markSeen(minute(100)); // it never goes back
  await expect.poll(() => badge.notifiedAt.get()).toEqual(minute(101));
  const { notifiedAt, ...read } = (await fields(owner, "users/eve/settings/read")) ?? {};
  expect([read, notifiedAt]).toEqual([{ readAt: minute(1) }, minute(101)]);

  await reader.markRead(minute(2).toMillis() * 1000);
  expect(await fields(owner, "users/eve/settings/read")).toEqual({ readAt: minute(2), notifiedAt });
  await reader.markRead(minute(1).toMillis() * 1000); // it never goes back
  expect(await fields(owner, "users/eve/settings/read")).toEqual({ readAt: minute(2), notifiedAt });

  await write(
    {
      "users/eve/notifications/follow.2099-01-01": {
        verb: "follow",
        object: "2099-01-01",
        count: 1,
        actors: ["ben"],
        at: Timestamp.fromMillis(notifiedAt.toMillis() + 1000),
      },
    },
    owner,
  );
  await expect.poll(() => badge.unseen.get()).toBe(1);
  await remove(doc(owner, "users/eve/notifications/follow.2099-01-01"));
  await expect.poll(() => badge.unseen.get()).toBe(0);
  badge.close();
  reader.close();
});

test("the badge counts a late notification below the newest", async () => {
  await notify("gil", 2);
  const badge = new Badge(account("gil", {}, project));
  await expect.poll(() => badge.unseen.get()).toBe(1);
  await notify("gil", 1);
  await expect.poll(() => badge.unseen.get()).toBe(2);
  badge.close();
});

test("the badge returns when marking it as seen fails", async () => {
  await notify("fay", 1);
  const badge = new Badge(account("fay", {}, project));
  await expect.poll(() => badge.unseen.get()).toBe(1);
  await write({ "users/fay/settings/read": { readAt: "noon" } }, owner); // a server's: the rules refuse what is merged with it
  await expect(badge.markSeen(minute(1))).rejects.toMatchObject({ code: "permission-denied" });
  await expect.poll(() => badge.unseen.get()).toBe(1);
  badge.close();
});

test("pending requests count as one in the badge, seen or not", async () => {
  const waiting = (n: number) =>
    write({ "users/hal/notifications/request.": { verb: "request", object: "", count: n, actors: ["ben"], at: minute(n) } }, owner);
  await notify("hal", 0);
  await waiting(1);
  const badge = new Badge(account("hal", {}, project));
  await expect.poll(() => badge.shown.get()).toBe(2);
  const seen = badge.markSeen(minute(1));
  expect(badge.shown.get()).toBe(1);
  await seen;
  await expect.poll(() => badge.notifiedAt.get()).toEqual(minute(1));
  expect([badge.unseen.get(), badge.shown.get()]).toEqual([0, 1]);
  await waiting(2); // one more asks: it is new, and counted once
  await expect.poll(() => badge.unseen.get()).toBe(1);
  await expect.poll(() => badge.shown.get()).toBe(1);
  await write({ "users/hal/settings/read": { notifiedAt: minute(2) } }, owner); // seen on another device: the request still waits
  await expect.poll(() => badge.unseen.get()).toBe(0);
  expect(badge.shown.get()).toBe(1);
  await remove(doc(owner, "users/hal/notifications/request."));
  await expect.poll(() => badge.shown.get()).toBe(0);
  badge.close();
});
