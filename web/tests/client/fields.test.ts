// The app's own fields: decoded wherever posts and accounts come from.
import { randomUUID } from "node:crypto";

import { initializeApp } from "firebase/app";
import { createUserWithEmailAndPassword } from "firebase/auth";
import { doc, getDoc } from "firebase/firestore";
import {
  Accounts,
  accountsByName,
  changeProfile,
  connect,
  editPost,
  endpointFeed,
  type Entry,
  type Fields,
  findAccounts,
  follow,
  getPosts,
  ownPosts,
  Paged,
  type Post,
  relationsFeed,
  type Source,
  timeOf,
  watchAccount,
  watchPost,
  writePost,
} from "relationindex-client";
import { expect, test } from "vitest";

import { at, client, idle, profile, register, write } from "../firestore.ts";
import { account, meOf } from "../me.ts";

interface Own {
  title: string;
  taken: Date | undefined;
}

/** Decodes a title; a post that says so is beyond it. */
function post(data: Fields): Own {
  if (data["title"] === "broken") throw new Error("no title");
  return { title: typeof data["title"] === "string" ? data["title"] : "none", taken: timeOf(data["taken"]) };
}
const city = (data: Fields) => ({ city: typeof data["city"] === "string" ? data["city"] : "" });

const firebase = { projectId: at.project, apiKey: "demo" };
const open = () =>
  connect({
    app: initializeApp(firebase, randomUUID()),
    database: at.database,
    emulators: { firestoreHost: at.firestoreHost, authHost: at.authHost },
    feedURL: at.feedURL,
    post,
    account: city,
  });

function opened<T extends { id: string; order: string }>(source: Source<T>): Paged<T> {
  const list = new Paged(source);
  list.subscribe(() => {});
  return list;
}

const taken = new Date(Date.UTC(2026, 5, 1));

/** An author with three posts, who is followed by a new account. */
async function begin(author: string) {
  await write({ [`users/${author}`]: { ...profile(`Fields ${author}`), city: "Oslo", photoURL: "https://example.com/ada.jpg" } });
  const of = (n: number, more: object) => ({
    [`posts/${author}-${n}`]: { userId: author, audience: author, hidden: false, createdAt: new Date(Date.UTC(2026, 0, n)), text: `Post ${n}`, ...more },
  });
  await write({ ...of(1, {}), ...of(2, { title: 7 }), ...of(3, { title: "A day", taken }) });
  const client = open();
  const { user } = await createUserWithEmailAndPassword(client.auth, `${randomUUID()}@example.com`, "correct horse");
  const me = client.as(user);
  await changeProfile(me, { name: "Reader" });
  await follow(me, author);
  await idle();
  return me;
}

test("posts have the app's fields in every feed, in lists and alone, and accounts too", async () => {
  const author = "fields-author",
    me = await begin(author);
  const none = { title: "none", taken: undefined };
  for (const source of [endpointFeed(me), relationsFeed(me)]) {
    const list = opened(source);
    await expect.poll(() => list.state.get().items.map(({ post }) => post.fields)).toEqual([{ title: "A day", taken }, none, none]);
    const [first] = list.state.get().items;
    const title: string | undefined = first?.post.fields.title; // it has a type
    expect(title).toBe("A day");
    list.close();
  }
  const id = `${author}-3`;
  const seen: (Own | undefined)[] = [];
  const stop = watchPost(me, id, (now) => seen.push(now?.fields));
  await expect.poll(() => seen.at(-1)).toEqual({ title: "A day", taken });
  stop();
  expect((await getPosts(me, [id])).get(id)?.fields).toEqual({ title: "A day", taken });

  const accounts = new Accounts(me);
  const [found] = await findAccounts(me, `Fields ${author}`, 1);
  const list = opened(accountsByName(me, `Fields ${author}`));
  const watched: string[] = [];
  const end = watchAccount(me, author, (now) => watched.push(`${now?.fields.city} ${now?.photoURL}`));
  await expect.poll(() => watched.at(-1)).toBe("Oslo https://example.com/ada.jpg");
  await expect.poll(() => list.state.get().items[0]?.account.fields.city).toBe("Oslo");
  expect([found?.fields.city, (await accounts.get(author)).fields.city]).toEqual(["Oslo", "Oslo"]);
  end();
  list.close();
});

test("a picture has an address with https, or none", async () => {
  const me = account("fields-pictures"),
    accounts = new Accounts(me);
  const wrong = [
    "javascript:alert(1)",
    "http://example.com/a.jpg",
    "https://",
    'https://x/"onerror=',
    "https://x/ y",
    `https://x/${"y".repeat(2_000)}`,
    "data:image/png;base64,x",
    7,
    null,
  ];
  await write(Object.fromEntries(wrong.map((photoURL, n) => [`users/fields-picture-${n}`, { ...profile("Picture"), photoURL }])));
  for (const [n, photoURL] of wrong.entries()) expect((await accounts.get(`fields-picture-${n}`)).photoURL, String(photoURL)).toBe("");
});

test("what a decoder throws is the error of the list, and nothing hangs", async () => {
  const author = "fields-broken",
    me = await begin(author);
  const [byFeed, byRelations] = [opened(endpointFeed(me, { every: 300 })), opened(relationsFeed(me))];
  for (const list of [byFeed, byRelations]) await expect.poll(() => list.state.get()).toMatchObject({ status: "ready", items: [{}, {}, {}] });
  const errors: string[] = [];
  byRelations.subscribe(({ error }) => error && errors.push(error.message));
  await write({
    [`posts/${author}-4`]: { userId: author, audience: author, hidden: false, createdAt: new Date(Date.UTC(2026, 0, 4)), text: "Post 4", title: "broken" },
  });
  await idle();
  byFeed.refresh();
  await expect.poll(() => byFeed.state.get()).toMatchObject({ status: "error", error: { message: "no title" }, items: [{}, {}, {}] });
  await expect.poll(() => errors).toContain("no title");
  await expect(getPosts(me, [`${author}-4`])).rejects.toThrow("no title");
  const mine = opened(ownPosts(meOf(client("owner"), author, { post })));
  await expect.poll(() => mine.state.get()).toMatchObject({ status: "error", error: { message: "no title" } });

  await write({
    [`posts/${author}-4`]: { userId: author, audience: author, hidden: false, createdAt: new Date(Date.UTC(2026, 0, 4)), text: "Post 4", title: "mended" },
  });
  await idle();
  byFeed.refresh();
  for (const list of [byFeed, byRelations, mine] as Paged<{ id: string; order: string; post: Post<Own> }>[]) {
    await expect.poll(() => list.state.get()).toMatchObject({ status: "ready", error: null, items: [{ post: { fields: { title: "mended" } } }, {}, {}, {}] });
    list.close();
  }
});

test("an account writes the app's fields beside those of the package, which they do not replace", async () => {
  const me = meOf(client("owner"), "fields-writer", { post, account: city }); // to the owner no rules apply: docs/fields.md has them
  await changeProfile(me, { name: "Wríter", fields: { city: "Rome", nameLower: "another" } });
  expect((await getDoc(doc(me.db, "users/fields-writer"))).data()).toEqual({ name: "Wríter", nameLower: "writer", city: "Rome" });
  const id = await writePost(me, { text: "With a title", fields: { title: "T", userId: "another", hidden: true } });
  const written = (await getPosts(me, [id])).get(id)!;
  expect(written).toMatchObject({ userId: me.id, hidden: false, text: "With a title", fields: { title: "T" } });
  await editPost(me, written, "With another #title", { title: "U" });
  expect((await getPosts(me, [id])).get(id)).toMatchObject({ userId: me.id, text: "With another #title", refs: ["#title"], fields: { title: "U" } });
});

const relation = (me: string, id: string, n: number, more: object) => ({
  [`_relations/${id}_00001`]: { postId: id, userId: "fields-copied", audience: "fields-copied", createdAt: new Date(1000 * n), followers: [me], ...more },
});

test("relations with the text read no post, unless they have none of it, or numbers are wanted", async () => {
  const uid = "fields-reader";
  await write({
    [`users/${uid}`]: profile("Reader"),
    ...relation(uid, "copy-1", 1, { text: "Copied", authorName: "Ada", title: "T" }),
    ...relation(uid, "copy-2", 2, {}),
  });
  await register("fields-copied", "Author");
  await write({ "posts/copy-2": { userId: "fields-copied", audience: "fields-copied", hidden: false, createdAt: new Date(2000), text: "Read", title: "R" } });
  const of = (list: Paged<Entry<Own>>) =>
    list.state.get().items.map(({ post: { text, authorName, copied, fields } }) => ({ text, authorName, copied: copied ?? false, title: fields.title }));
  const me = meOf(client({ sub: uid }), uid, { post, config: { copied: ["text", "authorName"] } });
  const list = opened(relationsFeed(me));
  // There is no post copy-1: what shows of it was in the relation.
  await expect
    .poll(() => of(list))
    .toEqual([
      { text: "Read", authorName: "", copied: false, title: "R" },
      { text: "Copied", authorName: "Ada", copied: true, title: "T" },
    ]);
  list.close();
  for (const source of [relationsFeed(me, { posts: true }), relationsFeed(meOf(me.db, uid, { post }))]) {
    const other = opened(source);
    await expect.poll(() => [other.state.get().status, of(other)]).toEqual(["ready", [{ text: "Read", authorName: "", copied: false, title: "R" }]]);
    other.close();
  }
});

test("an edit of a post that is known by its copy alone keeps the refs that the copy does not have", async () => {
  const me = account("fields-editor");
  await register(me.id, "Editor");
  const id = await writePost(me, { text: "Frost on the #allotment", refs: ["someone", "#allotment"] });
  const whole = (await getPosts(me, [id])).get(id)!;
  await editPost(me, { ...whole, refs: [], copied: true }, "Sun on the #beach");
  expect((await getPosts(me, [id])).get(id)).toMatchObject({ text: "Sun on the #beach", refs: ["someone", "#beach"] });
});

test("a name that was copied costs no read", async () => {
  const accounts = new Accounts(account("fields-namer"));
  expect(await accounts.authorOf({ userId: "nobody-at-all", authorName: "Ada\u202e" })).toBe("\u2068Ada\ufffd\u2069");
  await register("fields-named", "Named");
  expect(await accounts.authorOf({ userId: "fields-named", authorName: "" })).toBe("\u2068Named\u2069");
  await register("fields-named", "Renamed");
  expect(await accounts.name("fields-named")).toBe("\u2068Named\u2069");
  await accounts.again("fields-named");
  expect(await accounts.name("fields-named")).toBe("\u2068Renamed\u2069");
});
