// The client snippets of docs/clients/web.md and README.md, against the whole system with real sign-in.
import { randomUUID } from "node:crypto";
import { CustomProvider, initializeAppCheck } from "firebase/app-check";
import type { Auth, User } from "firebase/auth";
import { type Firestore, type QueryDocumentSnapshot, Timestamp, type WriteBatch, disableNetwork, doc, enableNetwork, getDoc, serverTimestamp, updateDoc } from "firebase/firestore";
import { afterAll, expect, test as base, vi } from "vitest";

import { at, client, idle } from "../firestore.ts";
import { startTimelines, type Timelines } from "../timelines.ts";
import { load } from "./snippets.ts";

const snippets = await load();
const { web } = snippets;
afterAll(() => snippets.remove());

/** config is what `dev` serves at /config.json. */
const { project, firestoreHost, authHost } = at;
const config = { firebase: { projectId: project, apiKey: "demo" }, emulators: { firestoreHost, authHost } };

interface Person {
  uid: string;
  user: User;
  auth: Auth;
  db: Firestore;
}

/** Signs somebody up at the Auth emulator, with a client of their own as on a device of their own. */
async function join(): Promise<Person> {
  const { auth, db } = web["connect"](config, randomUUID());
  const user: User = await web["signUp"](auth, `${randomUUID()}@example.com`, "correct horse");
  await web["saveProfile"](db, user.uid, { name: "Somebody" });
  return { uid: user.uid, user, auth, db };
}

/** test gives a test two people whom nobody knows yet. */
const test = base.extend("ada", join).extend("bob", join);

const denied = { code: "permission-denied" };

/** published posts texts one after the other, and returns their ids when followers can see them. */
async function published({ db, uid }: Person, ...texts: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const text of texts) {
    const id: string = web["newPostId"](db);
    await web["post"](db, uid, id, text);
    ids.push(id);
  }
  await idle();
  return ids;
}

const names = (relations: QueryDocumentSnapshot[]): string[] => relations.map((relation) => relation.get("postId") as string);

/** feed is what a reader sees, page by page. */
async function feed({ db, uid }: Person, size = 20): Promise<string[]> {
  return names(await web["page"](web["feedOf"](db, uid, size)));
}

async function textOf({ db }: Person, id: string): Promise<unknown> {
  return (await getDoc(doc(db, "posts", id))).get("text");
}

test("the snippets compile, strictly", () => snippets.compile());

test("a follower sees posts page by page, their edits, and nothing after unfollowing", async ({ ada, bob }) => {
  await web["follow"](bob.db, bob.uid, ada.uid);
  await idle();
  const [first, second, third] = await published(ada, "first", "second", "third");

  const query = web["feedOf"](bob.db, bob.uid, 2);
  const page1: QueryDocumentSnapshot[] = await web["page"](query);
  expect(names(page1)).toEqual([third, second]);
  const page2: QueryDocumentSnapshot[] = await web["page"](query, page1.at(-1));
  expect(names(page2)).toEqual([first]);

  await web["edit"](ada.db, second, "second, edited");
  await web["remove"](ada.db, third);
  const posts: Map<string, QueryDocumentSnapshot> = await web["postsOf"](bob.db, page1);
  expect([...posts].map(([id, post]) => [id, post.get("text")])).toEqual([[second, "second, edited"]]);
  expect((await web["page"](web["postsTo"](bob.db, ada.uid))).map(({ id }: QueryDocumentSnapshot) => id)).toEqual([second, first]);
  await idle();
  expect(await feed(bob)).toEqual([second, first]);

  await web["unfollow"](bob.db, bob.uid, ada.uid);
  await idle();
  expect(await feed(bob)).toEqual([]);
});

test("a live feed shows what comes, keeps its place, and loads older pages without a gap or a repeat", async ({ ada, bob }) => {
  await web["follow"](bob.db, bob.uid, ada.uid);
  const old = await published(ada, "1", "2", "3", "4", "5");
  const newest = (n: number) => old.slice(-n).reverse();

  const show = vi.fn<(relations: QueryDocumentSnapshot[]) => void>();
  const shown = () => names(show.mock.lastCall?.[0] ?? []);
  const fail = vi.fn();
  const live = new web["LiveFeed"](web["feedOf"](bob.db, bob.uid, 2), 2, show, fail);
  await expect.poll(shown).toEqual(newest(2));
  expect(await live.more()).toBe(true);
  expect(shown()).toEqual(newest(4));

  const [sixth] = await published(ada, "6");
  await expect.poll(shown).toEqual([sixth, ...newest(4)]);
  expect(await live.more()).toBe(false);
  expect(shown()).toEqual([sixth, ...newest(5)]);

  await web["remove"](ada.db, sixth);
  await expect.poll(shown).toEqual(newest(5));
  await web["unfollow"](bob.db, bob.uid, ada.uid);
  await expect.poll(shown).toEqual([]);
  live.stop();
  expect(fail).not.toHaveBeenCalled();
});

test("a live feed begins anew when more came at once than its page holds", async ({ ada, bob }) => {
  await web["follow"](bob.db, bob.uid, ada.uid);
  await published(ada, "1", "2");

  const show = vi.fn<(relations: QueryDocumentSnapshot[]) => void>();
  const shown = () => names(show.mock.lastCall?.[0] ?? []);
  const live = new web["LiveFeed"](web["feedOf"](bob.db, bob.uid, 2), 2, show, vi.fn());
  await expect.poll(shown).toHaveLength(2);
  await disableNetwork(bob.db);
  const [third, fourth, fifth] = await published(ada, "3", "4", "5");
  await enableNetwork(bob.db);
  await expect.poll(shown).toEqual([fifth, fourth]);
  await live.more();
  expect(shown().slice(0, 3)).toEqual([fifth, fourth, third]);
  live.stop();
});

test("acts with their rate are counted, also where rules have no pace", async ({ ada }) => {
  const id: string = web["newPostId"](ada.db);
  const post = doc(ada.db, "posts", id);
  await web["act"](ada.db, ada.uid, "posts", id, (batch: WriteBatch) => batch.set(post, { userId: ada.uid, audience: ada.uid, hidden: false, createdAt: serverTimestamp(), text: "hello" }));
  await web["act"](ada.db, ada.uid, "posts", id, (batch: WriteBatch) => batch.update(post, { text: "hello, edited" }));
  expect(await textOf(ada, id)).toBe("hello, edited");
  expect((await getDoc(doc(ada.db, "users", ada.uid, "rates", "posts"))).data()).toMatchObject({ n: 2, ids: [id] });
});

test("following twice is one follow, and counts are one's own", async ({ ada, bob }) => {
  expect(await web["isFollowing"](bob.db, bob.uid, ada.uid)).toBe(false);
  await web["follow"](bob.db, bob.uid, ada.uid);
  await web["follow"](bob.db, bob.uid, ada.uid);
  expect(await web["isFollowing"](bob.db, bob.uid, ada.uid)).toBe(true);
  await idle();
  expect(await web["countsOf"](ada.db, ada.uid)).toEqual({ followers: 1, following: 0 });
  expect(await web["countsOf"](bob.db, bob.uid)).toEqual({ followers: 0, following: 1 });
  await expect(web["countsOf"](bob.db, ada.uid)).rejects.toMatchObject(denied);
});

test("a follower who is removed may follow again", async ({ ada, bob }) => {
  await web["follow"](bob.db, bob.uid, ada.uid);
  await published(ada, "hello");
  expect(await feed(bob)).toHaveLength(1);
  await web["removeFollower"](ada.db, ada.uid, bob.uid);
  await idle();
  expect(await feed(bob)).toEqual([]);
  await web["follow"](bob.db, bob.uid, ada.uid);
  await idle();
  expect(await feed(bob)).toHaveLength(1);
});

test("a block ends the follow and refuses another, until it is lifted", async ({ ada, bob }) => {
  await web["follow"](bob.db, bob.uid, ada.uid);
  await published(ada, "hello");
  expect(await feed(bob)).toHaveLength(1);

  await web["block"](ada.db, ada.uid, bob.uid);
  await web["block"](ada.db, ada.uid, bob.uid);
  await idle();
  expect(await feed(bob)).toEqual([]);
  expect(await web["isFollowing"](bob.db, bob.uid, ada.uid)).toBe(false);
  await expect(web["follow"](bob.db, bob.uid, ada.uid)).rejects.toMatchObject(denied);

  await web["unblock"](ada.db, ada.uid, bob.uid);
  await idle();
  expect(await web["isFollowing"](bob.db, bob.uid, ada.uid)).toBe(false);
  await web["follow"](bob.db, bob.uid, ada.uid);
});

test("a closed account is followed by request, and read by its followers", async ({ ada, bob }) => {
  await web["saveProfile"](ada.db, ada.uid, { name: "Ada", closed: true });
  const [id] = await published(ada, "among us");
  await expect(web["follow"](bob.db, bob.uid, ada.uid)).rejects.toMatchObject(denied);
  await expect(web["page"](web["postsTo"](bob.db, ada.uid))).rejects.toMatchObject(denied);

  await web["ask"](bob.db, bob.uid, ada.uid);
  await web["decline"](ada.db, bob.uid, ada.uid);
  await expect(web["accept"](ada.db, bob.uid, ada.uid)).rejects.toMatchObject(denied);
  await web["ask"](bob.db, bob.uid, ada.uid);
  const asked: QueryDocumentSnapshot[] = await web["page"](web["requestsOf"](ada.db, ada.uid));
  expect(asked.map((one) => one.id)).toEqual([bob.uid]);
  await web["accept"](ada.db, bob.uid, ada.uid);
  await idle();
  expect(await feed(bob)).toEqual([id]);
  expect([...(await web["postsOf"](bob.db, await web["page"](web["feedOf"](bob.db, bob.uid)))).keys()]).toEqual([id]);

  // Hidden, it is in no feed; what a client has of it meanwhile leads to no post.
  const before = await web["page"](web["feedOf"](bob.db, bob.uid));
  await web["hide"](ada.db, id, true);
  expect([...(await web["postsOf"](bob.db, before)).keys()]).toEqual([]);
  await idle();
  expect(await feed(bob)).toEqual([]);
});

test("who unfollows cannot be made to follow by a request of before", async ({ ada, bob }) => {
  await web["saveProfile"](ada.db, ada.uid, { name: "Ada", closed: true });
  await web["ask"](bob.db, bob.uid, ada.uid);
  await web["saveProfile"](ada.db, ada.uid, { name: "Ada", closed: false });
  await web["follow"](bob.db, bob.uid, ada.uid);
  await web["unfollow"](bob.db, bob.uid, ada.uid);
  await expect(web["accept"](ada.db, bob.uid, ada.uid)).rejects.toMatchObject(denied);
});

test("members of a group read and write its posts, until it is deleted", async ({ ada, bob }) => {
  const group: string = await web["createGroup"](ada.db, ada.uid, { name: "Team", closed: false, post: "members" });
  await expect(web["post"](bob.db, bob.uid, web["newPostId"](bob.db), "let me in", group)).rejects.toMatchObject(denied);
  await web["follow"](bob.db, bob.uid, group);
  await idle();
  const id: string = web["newPostId"](bob.db);
  await web["post"](bob.db, bob.uid, id, "hello, team", group, [ada.uid]);
  await idle();
  expect([await feed(ada), await feed(bob)]).toEqual([[id], [id]]);

  await web["deleteGroup"](ada.db, group);
  await idle();
  expect([await feed(ada), await feed(bob)]).toEqual([[id], []]);
});

test("a profile is merged into what the functions wrote", async ({ ada, bob }) => {
  await web["follow"](bob.db, bob.uid, ada.uid);
  await idle();
  await web["saveProfile"](ada.db, ada.uid, { name: "Ada" });
  const profile = (await getDoc(doc(bob.db, "users", ada.uid))).data();
  expect(profile).toMatchObject({ name: "Ada", followers_index: ["00001"] });
});

test("a follow offline shows at once and is sent once; posting twice with one id is one post", async ({ ada, bob }) => {
  const [id] = await published(ada, "hello");
  await web["post"](ada.db, ada.uid, id, "hello again"); // it is there: nothing changes
  await expect(web["post"](bob.db, bob.uid, id, "mine")).rejects.toMatchObject(denied);
  await idle();

  const show = vi.fn();
  const stop = web["watchFollow"](bob.db, bob.uid, ada.uid, show);
  await expect.poll(() => show.mock.lastCall).toEqual([false, false]);
  await disableNetwork(bob.db);
  const followed = web["follow"](bob.db, bob.uid, ada.uid);
  await expect.poll(() => show.mock.lastCall).toEqual([true, true]);
  stop(); // stale: firestore.ts
  await enableNetwork(bob.db);
  await followed;
  const stopAgain = web["watchFollow"](bob.db, bob.uid, ada.uid, show);
  await expect.poll(() => show.mock.lastCall).toEqual([true, false]);
  stopAgain();
  await idle();
  expect(await feed(bob)).toEqual([id]);
  expect(await textOf(bob, id!)).toBe("hello");
});

test("a follow is shown at once, and settled when the server has it", async ({ ada, bob }) => {
  await idle();
  const show = vi.fn();
  const stop = web["watchFollow"](bob.db, bob.uid, ada.uid, show);
  await expect.poll(() => show.mock.lastCall).toEqual([false, false]);
  await web["follow"](bob.db, bob.uid, ada.uid);
  expect(show).toHaveBeenCalledWith(true, true);
  await expect.poll(() => show.mock.lastCall).toEqual([true, false]);
  stop();
});

test("a follow that is refused is taken back on the button", async ({ ada, bob }) => {
  await web["block"](ada.db, ada.uid, bob.uid);
  const show = vi.fn();
  const stop = web["watchFollow"](bob.db, bob.uid, ada.uid, show);
  await expect.poll(() => show.mock.lastCall).toEqual([false, false]);
  await expect(web["follow"](bob.db, bob.uid, ada.uid)).rejects.toMatchObject(denied);
  expect(show).toHaveBeenCalledWith(true, true);
  await expect.poll(() => show.mock.lastCall).toEqual([false, false]);
  stop();
});

test("signing in again, and a client with a cache of its own", async ({ ada }) => {
  const user = await web["signIn"](ada.auth, ada.user.email, "correct horse");
  expect(user.uid).toBe(ada.uid);
  expect(web["connectWithCache"](config, `cache-${ada.uid}`).type).toBe("firestore");
});

test("Feed shows what the query shows", async ({ ada, bob }) => {
  await web["follow"](bob.db, bob.uid, ada.uid);
  const ids = await published(ada, ...Array.from({ length: 21 }, (_, i) => `post ${i}`));
  const first = await web["feedPage"](at.feedURL, bob.user);
  expect(first.posts.map(({ id }: { id: string }) => id)).toEqual(await feed(bob, 20));
  expect(await web["feedPage"](at.feedURL, bob.user, { etag: first.etag })).toBeUndefined();
  const second = await web["feedPage"](at.feedURL, bob.user, { cursor: first.cursor });
  expect(second.posts).toMatchObject([{ id: ids[0], userId: ada.uid, data: { text: "post 0" } }]);
  expect(second.cursor).toBeUndefined();
  await expect(web["feedPage"](at.feedURL, bob.user, { cursor: "nonsense" })).rejects.toThrow("Feed answered 400");
});

test("Feed gets the token of App Check", async ({ bob }) => {
  const provider = new CustomProvider({ getToken: async () => ({ token: "of-app-check", expireTimeMillis: Date.now() + 3_600_000 }) });
  const appCheck = initializeAppCheck(bob.auth.app, { provider });
  const fetched = vi.spyOn(globalThis, "fetch");
  await web["feedPage"](at.feedURL, bob.user, {}, appCheck);
  expect(fetched.mock.calls.map(([, init]) => init?.headers)).toContainEqual(expect.objectContaining({ "X-Firebase-AppCheck": "of-app-check" }));
  fetched.mockRestore();
});

test("a list of Feed's pages is live, keeps older pages below new posts, and begins anew after another change", async ({ ada, bob }) => {
  await web["follow"](bob.db, bob.uid, ada.uid);
  const old = (await published(ada, ...Array.from({ length: 22 }, (_, i) => `${i}`))).reverse();
  const show = vi.fn(), fail = vi.fn();
  const shown = (): string[] => show.mock.lastCall?.[0].posts.map(({ id }: { id: string }) => id);
  const read = vi.fn((position: unknown) => web["feedPage"](at.feedURL, bob.user, position));
  const list = new web["FeedList"](bob.db, bob.uid, read, show, fail);
  await expect.poll(shown).toEqual(old.slice(0, 20));
  await list.older();
  expect(shown()).toEqual(old);
  const [newest] = await published(ada, "new");
  await expect.poll(shown).toEqual([newest, ...old]);
  await list.older(); // there are none: nothing is read
  await expect.poll(() => read.mock.calls.length).toBe(3);

  await web["remove"](ada.db, old[0]!);
  await idle();
  await expect.poll(shown).toEqual([newest, ...old.slice(1, 20)]);
  await list.older();
  expect(shown()).toEqual([newest, ...old.slice(1)]);
  list.stop();
  expect(fail).not.toHaveBeenCalled();
});

test("a list reads again at intervals where rules show it no relations, and says why a page could not be read", async ({ ada, bob }) => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const fail = vi.fn();
  const read = vi.fn().mockRejectedValue(new Error("no network"));
  const list = new web["FeedList"](bob.db, ada.uid, read, vi.fn(), fail); // another's relations: denied
  await expect.poll(() => vi.getTimerCount()).toBe(1);
  const before = read.mock.calls.length;
  vi.advanceTimersByTime(30_000);
  await expect.poll(() => read.mock.calls.length).toBe(before + 1);
  await expect.poll(() => fail.mock.calls.length).toBe(before + 1);
  list.stop();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

test("a profile's name is read once", async ({ ada, bob }) => {
  expect(await web["nameOf"](bob.db, ada.uid)).toBe("Somebody");
  await web["saveProfile"](ada.db, ada.uid, { name: "Ada" });
  expect(await web["nameOf"](bob.db, ada.uid)).toBe("Somebody");
});

test("the snippets of the README", async ({ ada, bob }) => {
  const { write, read } = snippets.readme;
  await write(ada.db, ada.uid, bob.uid, "Ada", "hello");
  expect(await web["isFollowing"](ada.db, ada.uid, bob.uid)).toBe(false); // followed, and unfollowed
  await web["follow"](bob.db, bob.uid, ada.uid);
  await idle();
  const page = await read(bob.db, bob.uid);
  expect(page.docs.map((one: QueryDocumentSnapshot) => one.get("userId"))).toEqual([ada.uid]);
  expect((await getDoc(doc(bob.db, "users", ada.uid))).get("name")).toBe("Ada");
});

/** Runs a test with functions that keep timelines, and Bob, who follows Ada: his client is bound by the rules. */
async function withTimelines(layout: "items" | "buckets" | "days", more: Record<string, string>, use: (system: Timelines, bob: Firestore) => Promise<void>): Promise<void> {
  const system = await startTimelines(layout, more);
  try {
    await use(system, client({ sub: "bob" }, system.at.project, system.at));
  } finally {
    await system.stop();
  }
}

const postsIn = (entries: { post: string }[]): string[] => entries.map(({ post }) => post);

test("a timeline of items is read page by page, live, and with its posts", () => withTimelines("items", {}, async ({ db, publish, idle }, bob) => {
  const show = vi.fn(), fail = vi.fn();
  const stop = web["watchTimeline"](web["itemsOf"](bob, "bob", 3), show, fail);
  await expect.poll(() => show.mock.lastCall).toEqual([[]]);
  const [first, third, second] = await publish("ada", 1, 3, 2);
  await expect.poll(() => postsIn(show.mock.lastCall?.[0])).toEqual([third, second, first]);
  const page1: QueryDocumentSnapshot[] = await web["page"](web["itemsOf"](bob, "bob", 2));
  const page2: QueryDocumentSnapshot[] = await web["page"](web["itemsOf"](bob, "bob", 2), page1.at(-1));
  expect([page1, page2].map((page) => postsIn(page.flatMap(web["entriesOf"])))).toEqual([[third, second], [first]]);
  expect(web["entriesOf"](page2[0])).toMatchObject([{ post: first, author: "ada", audience: "ada", at: (Date.UTC(2026, 0, 1) + 60_000) * 1000 }]);

  await updateDoc(doc(db, "posts", second!), { hidden: true });
  const posts: Map<string, QueryDocumentSnapshot> = await web["postsOfEntries"](bob, page1.flatMap(web["entriesOf"]));
  expect([...posts].map(([id, post]) => [id, post.get("text")])).toEqual([[third, "Minute 3"]]);
  await idle();
  await expect.poll(() => postsIn(show.mock.lastCall?.[0])).toEqual([third, first]);
  stop();
  expect(fail).not.toHaveBeenCalled();
}));

test("the newest entries in buckets, before the ring is full and after", () => withTimelines("buckets", { RELATIONINDEX_BUCKET: "3", RELATIONINDEX_CAP: "6" }, async ({ publish }, bob) => {
  const newest = async (size?: number) => postsIn(await web["newestInBuckets"](bob, "bob", size));
  expect(await newest()).toEqual([]);
  const show = vi.fn();
  const stop = web["watchTimeline"](web["openOf"](bob, "bob"), show, vi.fn());
  const some = await publish("ada", 1, 2, 3, 4, 5);
  await expect.poll(() => postsIn(show.mock.lastCall?.[0])).toEqual(some.slice(3).toReversed());
  stop();
  expect(await newest()).toEqual(some.toReversed());
  expect(await newest(2)).toEqual(some.slice(3).toReversed());

  const more = await publish("ada", 6, 7, 8, 9, 10);
  expect(await newest()).toEqual([...some, ...more].slice(3).toReversed()); // 1 to 3 were overwritten
  expect(await newest(4)).toEqual(more.slice(1).toReversed());
}));

test("the newest entries in days", () => withTimelines("days", {}, async ({ publish }, bob) => {
  const ids = await publish("ada", ...[0, 1, 2, 3, 4].flatMap((day) => [day * 24 * 60, day * 24 * 60 + 1]));
  expect(postsIn(await web["newestInDays"](bob, "bob"))).toEqual(ids.toReversed());
  expect(postsIn(await web["newestInDays"](bob, "bob", 7))).toEqual(ids.slice(3).toReversed());
  const show = vi.fn();
  const stop = web["watchTimeline"](web["daysOf"](bob, "bob", 1), show, vi.fn());
  await expect.poll(() => postsIn(show.mock.lastCall?.[0])).toEqual(ids.slice(8).toReversed());
  stop();
}));

test("readers hide posts and kinds, mark what they have read, and comments lift posts; likes are counted and told", () => withTimelines("items", { RELATIONINDEX_SETTINGS: "true", RELATIONINDEX_RANKED: "true", RELATIONINDEX_COUNTS: "true", RELATIONINDEX_NOTIFICATIONS: "true" }, async ({ db, at, publish, idle }, bob) => {
  const show = vi.fn(), settings = vi.fn(), read = vi.fn(), fail = vi.fn();
  const stops = [web["watchTimeline"](web["itemsOf"](bob, "bob"), show, fail), web["watchSettings"](bob, "bob", settings, fail), web["watchRead"](bob, "bob", read, fail)];
  const shown = () => postsIn(show.mock.lastCall?.[0] ?? []);
  const [first, second, third] = await publish("ada", 1, 2, 3);
  await expect.poll(shown).toEqual([third, second, first]);

  await web["hidePost"](bob, "bob", second);
  await web["hidePost"](bob, "bob", second);
  await expect.poll(shown).toEqual([third, first]);
  await web["bringBack"](bob, "bob", second);
  await expect.poll(shown).toEqual([third, second, first]);

  await web["saySeen"](bob, "bob");
  await expect.poll(() => settings.mock.lastCall?.[0]).toHaveProperty("seenAt");
  await web["saySeen"](bob, "bob"); // within the hour: the rules would reject another
  const entries = (): unknown[] => show.mock.lastCall?.[0];
  const unread = () => postsIn(show.mock.lastCall?.[0].filter((entry: unknown) => web["isNew"](entry, read.mock.lastCall?.[0])));
  expect(unread()).toEqual([third, second, first]);
  await web["markRead"](bob, "bob", entries()[1]);
  await expect.poll(unread).toEqual([third]);

  await web["addPattern"](bob, "bob", "hide", "*/photo");
  const ada = client({ sub: "ada" }, at.project, at);
  const photo: string = web["newPostId"](ada);
  await web["post"](ada, "ada", photo, "A photo", "ada", [], "photo");
  await idle();
  expect(shown()).toEqual([third, second, first]);
  await web["addPattern"](bob, "bob", "show", "ada/photo");
  await expect.poll(shown).toEqual([photo, third, second, first]);
  await web["takeBack"](bob, "bob", "*/photo");
  await web["takeBack"](bob, "bob", "ada/photo");
  expect(settings.mock.lastCall?.[0]).toMatchObject({ hide: [], show: [] });

  const commented = await getDoc(doc(db, "posts", first!));
  await web["comment"](ada, "ada", commented, "Look again");
  await expect.poll(shown).toEqual([first, photo, third, second]);
  const [comment]: QueryDocumentSnapshot[] = await web["page"](web["commentsOf"](bob, commented));
  expect(comment?.data()).toMatchObject({ userId: "ada", thread: "ada/ada", text: "Look again" });
  await expect(web["removeComment"](bob, first, comment?.id)).rejects.toMatchObject(denied);
  await web["removeComment"](ada, first, comment?.id);
  expect((await getDoc(doc(db, "posts", first!, "comments", comment!.id))).exists()).toBe(false);

  const told = vi.fn();
  stops.push(web["watchNotifications"](ada, "ada", told, fail));
  await web["like"](bob, "bob", first);
  await web["like"](bob, "bob", first);
  expect(await web["likedOf"](bob, "bob", [first, second, third])).toEqual(new Set([first]));
  await expect.poll(() => told.mock.lastCall?.[0]).toMatchObject([{ verb: "like", object: first, count: 1, actors: ["bob"] }]);
  expect((await web["page"](web["notificationsOf"](ada, "ada"))).map(({ id }: QueryDocumentSnapshot) => id)).toEqual([`like.${first}`]);
  await idle();
  expect(web["numberIn"](await getDoc(doc(bob, "posts", first!)), "likes")).toBe(1);
  expect(web["numberIn"](await getDoc(doc(bob, "posts", first!)), "comments")).toBe(0);
  expect(web["numberIn"](await getDoc(doc(bob, "users", "ada")), "followers")).toBe(2);
  expect(await web["unseenOf"](ada, "ada")).toBe(1);
  await web["markSeen"](ada, "ada", told.mock.lastCall?.[0][0]);
  expect(await web["unseenOf"](ada, "ada")).toBe(0);
  await web["markSeen"](bob, "bob", { at: Timestamp.now() });
  expect((await getDoc(doc(db, "users/bob/settings/read"))).data()).toMatchObject({ readAt: expect.any(Timestamp), notifiedAt: expect.any(Timestamp) });
  await web["markRead"](bob, "bob", entries()[0]);
  expect((await getDoc(doc(db, "users/bob/settings/read"))).get("notifiedAt")).toBeInstanceOf(Timestamp);
  await web["unlike"](bob, "bob", first);
  await expect.poll(() => told.mock.lastCall?.[0]).toEqual([]);
  stops.forEach((stop) => stop());
  expect(fail).not.toHaveBeenCalled();
}));

test("no snippet is left that no test has called", () => {
  expect(snippets.unused()).toEqual([]);
});
