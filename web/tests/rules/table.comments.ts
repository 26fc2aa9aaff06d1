// Comments on posts. Every reader of a post can read them, and add one, unless the post's author blocks the reader.
import { type Firestore, documentId, limit, orderBy, query, serverTimestamp, where } from "firebase/firestore";

import { all, batch, count, create, get, group, list, merge, remove, request, set, update } from "./operations.ts";
import type { Rights, Row } from "./row.ts";
import { inMinutes, stamp } from "./world.ts";

/** mine returns a comment on hello, by the account that tries the operation. */
const mine = (me: string) => ({ userId: me, createdAt: serverTimestamp(), thread: "ada/ada", text: "new" });

/** on returns the path of a post's comments. */
const on = (post: string) => `posts/${post}/comments`;

/** threads are the threads of the posts in this file, "author/audience". */
const threads: Record<string, string> = { hello: "ada/ada", closed: "cleo/cleo", club: "eve/g_club", hidden: "ada/ada", direct: "eve/", gone: "ada/ada", moved: "ada/ada", next: "bob/bob", old: "ada/ada" };
const thread = (post: string, thread = threads[post]) => (db: Firestore) => query(all(on(post))(db), where("thread", "==", thread));
const page = (post: string, n = 50) => (db: Firestore) => query(thread(post)(db), limit(n));
const fresh = `${on("hello")}/new`;
const bobs = `${on("hello")}/1`;

/** to creates a comment on hello, with an audience. */
const to = (audience: unknown) => (me: string) => create(fresh, { ...mine(me), audience });

/** under creates a comment on a post, with a thread. */
const under = (post: string, thread: unknown) => (me: string) => create(`${on(post)}/new`, { ...mine(me), thread });

/** reading has the rows of posts that not everybody may read. */
const reading: Record<string, Row> = {
  //                                      signed-out anonymous stranger blocked follower author moderator
  "get: from before":                     ["-          -         +        -       -        -      +", () => get(`${on("hello")}/before`)],
  "get: of another thread":               ["-          -         -        +       -        -      +", () => get(`${on("hello")}/dans`)],
  "get: of a post that has moved":        ["-          -         -        -       -        +      +", () => get(`${on("moved")}/1`)],
  "get: of another post of this id":      ["-          -         -        -       -        +      +", () => get(`${on("next")}/1`)],
  "get: of the post of this id now":      ["-          +         +        +       +        +      +", () => get(`${on("next")}/2`)],
  "get: one that is not there, of a closed group": ["-  -         -        -       +        +      +", () => get(`${on("club")}/new`)],
  "get: of a closed account":             ["-          -         -        -       +        -      +", () => get(`${on("closed")}/1`)],
  "get: of a closed group":               ["-          -         +        -       +        +      +", () => get(`${on("club")}/1`)],
  "get: of a hidden post":                ["-          -         -        -       -        +      +", () => get(`${on("hidden")}/1`)],
  "get: of a post to carol alone":        ["-          -         +        -       -        -      +", () => get(`${on("direct")}/1`)],
  "get: of a post that is gone":          ["-          -         -        -       +        +      -", () => get(`${on("gone")}/1`)],
  "get: of a post without an audience":   ["-          +         +        +       +        +", () => get(`${on("old")}/1`)],
  "get: one that is not there":           ["-          +         +        +       +        +", () => get(fresh)],

  "list: of a closed account":            ["-          -         -        -       +        -      +", () => list(page("closed"))],
  "list: of a closed group":              ["-          -         -        -       +        +      +", () => list(page("club"))],
  "list: of a hidden post":               ["-          -         -        -       -        +      +", () => list(page("hidden"))],
  "list: of a post to carol alone":       ["-          -         +        -       -        -      +", () => list(page("direct"))],
  "list: of a post that is gone":         ["-          -         -        -       -        +      -", () => list(page("gone"))],
  "list: 50 at a time":                   ["-          +         +        +       +        +", () => list(page("hello"))],
  "list: 51 at a time":                   ["-          -         -        -       -        -", () => list(page("hello", 51))],
  "list: one's own, without a limit":     ["-          -         -        -       -        -", (me) => list((db) => query(all(on("hello"))(db), where("userId", "==", me)))],
  "list: one's own, of a closed group":   ["-          +         +        +       +        +      +", (me) => list((db) => query(all(on("club"))(db), where("userId", "==", me), limit(50)))],
  "list: in order":                       ["-          +         +        +       +        +", () => list((db) => query(page("hello")(db), orderBy("createdAt", "desc")))],
  "list: of all threads":                 ["-          -         -        -       -        -      +", () => list((db) => query(all(on("hello"))(db), limit(50)))],
  "list: of another thread":              ["-          -         -        -       -        -      +", () => list((db) => query(thread("hello", "eve/ada")(db), limit(50)))],
  "list: of no thread":                   ["-          -         -        -       -        -      +", () => list((db) => query(thread("hello", "")(db), limit(50)))],
  "list: of a post that has moved":       ["-          +         +        +       +        +", () => list(page("moved"))],
  "list: of where it has moved from":     ["-          -         -        -       -        +      +", () => list((db) => query(thread("moved", "ada/g_club")(db), limit(50)))],
  "list: of the post of this id now":     ["-          +         +        +       +        +", () => list(page("next"))],
  "list: of another post of this id":     ["-          -         -        -       -        +      +", () => list((db) => query(thread("next", "ada/ada")(db), limit(50)))],
  "list: of a post without an audience":  ["-          +         +        +       +        +", () => list(page("old"))],
  "list: by name":                        ["-          +         +        +       +        +", () => list((db) => query(thread("hello")(db), where(documentId(), "==", "1"), limit(1)))],
  "list: by name, of a closed group":     ["-          -         +        -       +        +      +", () => list((db) => query(thread("club")(db), where(documentId(), "==", "1"), limit(1)))],
  "list: by request":                     ["-          +         +        +       +        +", () => request({ path: on("hello"), where: [["thread", "EQUAL", "ada/ada"]], limit: 50 })],
  "list: by request, with an offset":     ["-          -         -        -       -        -", () => request({ path: on("hello"), where: [["thread", "EQUAL", "ada/ada"]], limit: 50, offset: 1 })],
  "list: by request, without a limit":    ["-          -         -        -       -        -", () => request({ path: on("hello"), where: [["thread", "EQUAL", "ada/ada"]] })],
  "list: by request, of all threads":     ["-          -         -        -       -        -      +", () => request({ path: on("hello"), limit: 50 })],
  "list: by page":                        ["-          -         -        -       -        -      +", () => request({ path: on("hello"), pageSize: 50 })],
  "list: by page, 51 at a time":          ["-          -         -        -       -        -", () => request({ path: on("hello"), pageSize: 51 })],
  "list: everywhere":                     ["-          -         -        -       -        -", () => list((db) => query(group("comments")(db), limit(50)))],
  "list: one's own, everywhere":          ["-          -         -        -       -        -", (me) => list((db) => query(group("comments")(db), where("userId", "==", me), limit(50)))],
  "count: of a closed group":             ["-          -         -        -       +        +      +", () => count(page("club"))],
  "count: without a limit":               ["-          -         -        -       -        -", () => count(thread("hello"))],
  "count: of all threads":                ["-          -         -        -       -        -      +", () => count((db) => query(all(on("hello"))(db), limit(50)))],
  "count: everywhere":                    ["-          -         -        -       -        -", () => count((db) => query(group("comments")(db), limit(50)))],
  "count: by request, with an offset":    ["-          -         -        -       -        -", () => request({ path: on("hello"), where: [["thread", "EQUAL", "ada/ada"]], limit: 50, offset: 1, aggregate: { count: {} } })],
};

/** addressing has the rows of a comment's audience. The post is ada's, and ada blocks dan. */
const addressing: Record<string, Row> = {
  //                                      signed-out anonymous stranger blocked follower author moderator
  "create: to a group":                   ["-          -         -        -       +        +      -", to("g_team")],
  "create: to a group of the owner":      ["-          -         -        -       -        +      -", to("g_wall")],
  "create: to a closed group":            ["-          -         -        -       +        +      -", to("g_club")],
  "create: to a group without an owner":  ["-          -         -        -       +        -      -", to("g_orphan")],
  "create: to a group of another":        ["-          -         -        -       -        -", to("g_eves")],
  "create: to a group that is gone":      ["-          -         -        -       -        -", to("g_gone")],
  "create: to ada's followers":           ["-          -         -        -       -        -", to("ada")],
  "create: to one's own followers":       ["-          -         -        -       -        -", (me) => to(me)(me)],
  "create: to one with a group's fields": ["-          -         -        -       -        -", to("managed")],
  "create: to nobody":                    ["-          -         -        -       -        -", to("")],
  "create: to null":                      ["-          -         -        -       -        -", to(null)],
  "create: to groups":                    ["-          -         -        -       -        -", to(["g_team"])],
  "create: to a path":                    ["-          -         -        -       -        -", (me) => to(`g_team/followers/${me}`)(me)],
  "create: to an id too long":            ["-          -         -        -       -        -", to(`g_${"x".repeat(1_000_000)}`)],
};

export const comments: Rights = {
  document: "posts/{postId}/comments/{commentId}",
  rows: {
    //                                    signed-out anonymous stranger blocked follower author moderator
    "get":                                ["-          +         +        +       +        +", () => get(bobs)],
    "list":                               ["-          +         +        +       +        +", () => list(page("hello", 20))],
    "list unfiltered":                    ["-          -         -        -       -        -", () => list(all(on("hello")))],
    "count":                              ["-          +         +        +       +        +", () => count(page("hello"))],
    "create":                             ["-          -         +        -       +        +", (me) => create(fresh, mine(me))],
    "update":                             ["-          -         -        -       -        -", () => update(bobs, { text: "edited" })],
    "delete":                             ["-          -         -        -       +        +      +", () => remove(bobs)],

    "create with no author":              ["-          -         -        -       -        -", () => create(fresh, { createdAt: serverTimestamp(), thread: "ada/ada" })],
    "create with no thread":              ["-          -         -        -       -        -", (me) => create(fresh, { userId: me, createdAt: serverTimestamp() })],
    "create with a thread of another author": ["-      -         -        -       -        -", under("hello", "eve/ada")],
    "create with a thread of another audience": ["-    -         -        -       -        -", under("hello", "ada/g_team")],
    "create with a thread in a list":     ["-          -         -        -       -        -", under("hello", ["ada/ada"])],
    "create with a null author":          ["-          -         -        -       -        -", (me) => create(fresh, { ...mine(me), userId: null })],
    "create with oneself in a list":      ["-          -         -        -       -        -", (me) => create(fresh, { ...mine(me), userId: [me] })],
    "create with another's id":           ["-          -         -        -       -        -", () => create(fresh, mine("eve"))],
    "create with no createdAt":           ["-          -         -        -       -        -", (me) => create(fresh, { userId: me, thread: "ada/ada", text: "new" })],
    "create with a time of one's own":    ["-          -         -        -       -        -", (me) => create(fresh, { ...mine(me), createdAt: stamp })],
    "create with a time in two minutes":  ["-          -         -        -       -        -", (me) => create(fresh, { ...mine(me), createdAt: inMinutes(2) })],
    "create with createdAt as a number":  ["-          -         -        -       -        -", (me) => create(fresh, { ...mine(me), createdAt: stamp.toMillis() })],
    "create with text too long":          ["-          -         -        -       -        -", (me) => create(fresh, { ...mine(me), text: "x".repeat(2001) })],
    "create with text as a list":         ["-          -         -        -       -        -", (me) => create(fresh, { ...mine(me), text: ["x".repeat(100_000)] })],
    "create with a field that is not named": ["-       -         -        -       -        -", (me) => create(fresh, { ...mine(me), likes: 1_000_000 })],
    "create with nothing":                ["-          -         -        -       -        -", () => create(fresh, {})],
  },
  also: {
    //                                    signed-out anonymous stranger blocked follower author moderator
    ...reading,
    ...addressing,
    "create: with one's profile":         ["-          +         +        -       +        +", (me) => ({ ...batch({ [`users/${me}`]: { name: "New" }, [`${on("moved")}/new`]: { ...mine(me), thread: "ada/ada" } }), absent: true })],
    "create: in bob's name":              ["-          -         -        -       +        -      -", () => create(fresh, mine("bob"))],
    "create: without text":               ["-          -         +        -       +        +", (me) => create(fresh, { userId: me, createdAt: serverTimestamp(), thread: "ada/ada" })],
    "create: as large as it may be":      ["-          -         -        -       +        +      -", (me) => create(`${on("hello")}/${"x".repeat(128)}`, { ...mine(me), text: "x".repeat(2000), audience: "g_team" })],
    "create: of an id too long":          ["-          -         -        -       -        -", (me) => create(`${on("hello")}/${"x".repeat(129)}`, mine(me))],
    "create: of an id with a line feed":  ["-          -         -        -       -        -", (me) => create(`${on("hello")}/a\nb`, mine(me))],
    "create: on a closed account's post": ["-          -         -        -       +        -      +", under("closed", "cleo/cleo")],
    "create: on a closed group's post":   ["-          -         -        -       +        +      +", under("club", "eve/g_club")],
    "create: on a closed group's post, to it": ["-     -         -        -       +        +      -", (me) => create(`${on("club")}/new`, { ...mine(me), thread: "eve/g_club", audience: "g_club" })],
    "create: on a hidden post":           ["-          -         -        -       -        +      +", (me) => create(`${on("hidden")}/new`, mine(me))],
    "create: on a post to carol alone":   ["-          -         +        -       -        -      +", under("direct", "eve/")],
    "create: on a deleted group's post":  ["-          -         -        -       +        +      +", under("gone-group", "ada/g_gone")],
    "create: on a post without an audience": ["-       -         +        -       +        +", under("old", "ada/ada")],
    "create: on a post that has moved":   ["-          -         +        -       +        +", under("moved", "ada/ada")],
    "create: on where it has moved from": ["-          -         -        -       -        -", under("moved", "ada/g_club")],
    "create: on the post of this id now": ["-          -         +        +       +        +", under("next", "bob/bob")],
    "create: on another post of this id": ["-          -         -        -       -        -", under("next", "ada/ada")],
    "create: of a reserved id":           ["-          -         -        -       -        -", (me) => create(`${on("hello")}/__id5__`, mine(me))],
    "create: on a post that is gone":     ["-          -         -        -       -        -      -", (me) => create(`${on("gone")}/new`, mine(me))],
    "create: on a post that is new":      ["-          -         -        -       -        -      -", (me) => batch({ "posts/new": { ...mine(me), audience: me, hidden: false }, [`${on("new")}/1`]: { ...mine(me), thread: `${me}/${me}` } })],
    "create: on a post without an author": ["-         -         -        -       -        -      -", under("authorless", "/")],
    "create: on a comment":               ["-          -         -        -       -        -", (me) => create(`${bobs}/comments/1`, mine(me))],

    "update: over it with one's own":     ["-          -         -        -       -        -", (me) => set(bobs, mine(me))],
    "update: createdAt moved to now":     ["-          -         -        -       -        -", () => update(bobs, { createdAt: serverTimestamp() })],
    "update: to a group":                 ["-          -         -        -       -        -", () => merge(bobs, { audience: "g_team" })],

    "delete: of a post that one reads no more": ["-    -         +        -       -        -      +", () => remove(`${on("club")}/1`)],
    "delete: of a post that is gone":     ["-          -         -        -       +        +      +", () => remove(`${on("gone")}/1`)],
    "delete: from before":                ["-          -         +        -       -        -      +", () => remove(`${on("hello")}/before`)],
    "delete: of a post that has moved":   ["-          -         -        -       -        +      +", () => remove(`${on("moved")}/1`)],
    "delete: of another post of this id": ["-          -         -        -       -        +      +", () => remove(`${on("next")}/1`)],
    "delete: of a post of another":       ["-          -         +        -       -        -      +", () => remove(`${on("direct")}/1`)],
  },
};
