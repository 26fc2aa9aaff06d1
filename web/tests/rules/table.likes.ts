// Likes of posts. Every reader of a post can see its likes, and like it, unless the post's author blocks the reader.
import { type Firestore, documentId, limit, orderBy, query, serverTimestamp, where } from "firebase/firestore";

import { all, batch, count, create, get, group, list, merge, remove, replace, request, set, update } from "./operations.ts";
import type { Rights, Row } from "./row.ts";
import { inMinutes, stamp } from "./world.ts";

/** of returns the path of a post's likes. */
const of = (post: string) => `posts/${post}/likes`;
const page = (post: string, n = 50) => (db: Firestore) => query(all(of(post))(db), limit(n));
const bobs = `${of("hello")}/bob`;

/** mine returns a like of a post by an account. */
const mine = (me: string, post = "hello") => ({ userId: me, postId: post, createdAt: serverTimestamp() });

/** like creates a like of a post, by the account that tries the operation. fields are added, or replace its fields. */
const like = (post: string, fields: object = {}) => (me: string) => create(`${of(post)}/${me}`, { ...mine(me, post), ...fields });

/** without creates a like that lacks a field. */
const without = (field: "userId" | "postId" | "createdAt") => (me: string) => {
  const { [field]: _, ...others } = mine(me);
  return create(`${of("hello")}/${me}`, others);
};

/** reading has the rows of posts that not everybody may read. */
const reading: Record<string, Row> = {
  //                                      signed-out anonymous stranger blocked follower author moderator
  "get: one's own":                       ["-          +         +        +       +        +", (me) => get(`${of("hello")}/${me}`)],
  "get: one's own, of a closed account":  ["-          +         +        +       +        +", (me) => get(`${of("closed")}/${me}`)],
  "get: one's own, of a post that is gone": ["-        +         +        +       +        +", (me) => get(`${of("gone")}/${me}`)],
  "get: one that is not there":           ["-          +         +        +       +        +", () => get(`${of("hello")}/zoe`)],
  "get: of a closed account":             ["-          -         -        -       +        -      +", () => get(`${of("closed")}/eve`)],
  "get: of a closed account, one that is not there": ["- -       -        -       +        -      +", () => get(`${of("closed")}/zoe`)],
  "get: of a closed group":               ["-          -         -        -       +        +      +", () => get(`${of("club")}/eve`)],
  "get: of a hidden post":                ["-          -         -        -       -        +      +", () => get(`${of("hidden")}/eve`)],
  "get: of a post to carol alone":        ["-          -         +        -       -        -      +", () => get(`${of("direct")}/eve`)],
  "get: of a post that is gone":          ["-          -         -        -       -        -      -", () => get(`${of("gone")}/eve`)],

  "list: of a closed account":            ["-          -         -        -       +        -      +", () => list(page("closed"))],
  "list: of a closed group":              ["-          -         -        -       +        +      +", () => list(page("club"))],
  "list: of a hidden post":               ["-          -         -        -       -        +      +", () => list(page("hidden"))],
  "list: of a post to carol alone":       ["-          -         +        -       -        -      +", () => list(page("direct"))],
  "list: of a post that is gone":         ["-          -         -        -       -        -      -", () => list(page("gone"))],
  "list: 50 at a time":                   ["-          +         +        +       +        +", () => list(page("hello"))],
  "list: 51 at a time":                   ["-          -         -        -       -        -", () => list(page("hello", 51))],
  "list: in order":                       ["-          +         +        +       +        +", () => list((db) => query(page("hello")(db), orderBy("createdAt", "desc")))],
  "list: by name":                        ["-          +         +        +       +        +", () => list((db) => query(all(of("hello"))(db), where(documentId(), "==", "bob"), limit(1)))],
  "list: by request":                     ["-          +         +        +       +        +", () => request({ path: of("hello"), limit: 50 })],
  "list: by request, with an offset":     ["-          -         -        -       -        -", () => request({ path: of("hello"), limit: 50, offset: 1 })],
  "list: by page":                        ["-          +         +        +       +        +", () => request({ path: of("hello"), pageSize: 50 })],
  "list: by page, 51 at a time":          ["-          -         -        -       -        -", () => request({ path: of("hello"), pageSize: 51 })],
  "count: of a closed group":             ["-          -         -        -       +        +      +", () => count(page("club"))],
  "count: without a limit":               ["-          -         -        -       -        -", () => count(all(of("hello")))],
};

export const likes: Rights = {
  document: "posts/{postId}/likes/{userId}",
  rows: {
    //                                    signed-out anonymous stranger blocked follower author moderator
    "get":                                ["-          +         +        +       +        +", () => get(bobs)],
    "list":                               ["-          +         +        +       +        +", () => list(page("hello", 20))],
    "list unfiltered":                    ["-          -         -        -       -        -", () => list(all(of("hello")))],
    "count":                              ["-          +         +        +       +        +", () => count(page("hello"))],
    "create":                             ["-          -         +        -       +        +", like("hello")],
    "update":                             ["-          -         -        -       -        -", () => update(bobs, { createdAt: serverTimestamp() })],
    "delete":                             ["-          -         -        -       +        -", () => remove(bobs)],

    "create with no userId":              ["-          -         -        -       -        -", without("userId")],
    "create with no postId":              ["-          -         -        -       -        -", without("postId")],
    "create with no createdAt":           ["-          -         -        -       -        -", without("createdAt")],
    "create with another's id":           ["-          -         -        -       -        -", like("hello", { userId: "eve" })],
    "create with oneself in a list":      ["-          -         -        -       -        -", (me) => like("hello", { userId: [me] })(me)],
    "create with another post":           ["-          -         -        -       -        -", like("hello", { postId: "moved" })],
    "create with the post in a list":     ["-          -         -        -       -        -", like("hello", { postId: ["hello"] })],
    "create with a time of one's own":    ["-          -         -        -       -        -", like("hello", { createdAt: stamp })],
    "create with a time in two minutes":  ["-          -         -        -       -        -", (me) => like("hello", { createdAt: inMinutes(2) })(me)],
    "create with another field":          ["-          -         -        -       -        -", like("hello", { text: "x" })],
    "create with nothing":                ["-          -         -        -       -        -", (me) => create(`${of("hello")}/${me}`, {})],
  },
  also: {
    //                                    signed-out anonymous stranger blocked follower author moderator
    ...reading,
    "create: with one's profile":         ["-          +         +        -       +        +", (me) => ({ ...batch({ [`users/${me}`]: { name: "New" }, [`${of("moved")}/${me}`]: mine(me, "moved") }), absent: true })],
    "create: in bob's name":              ["-          -         -        -       +        -      -", () => create(bobs, mine("bob"))],
    "create: of an id of one's own":      ["-          -         -        -       -        -", (me) => create(`${of("hello")}/new`, mine(me))],
    "create: by a group":                 ["-          -         -        -       -        -", () => create(`${of("hello")}/g_wall`, mine("g_wall"))],
    "create: of a closed account's post": ["-          -         -        -       +        -      +", like("closed")],
    "create: of a closed group's post":   ["-          -         -        -       +        +      +", like("club")],
    "create: of a hidden post":           ["-          -         -        -       -        +      +", like("hidden")],
    "create: of a post to carol alone":   ["-          -         +        -       -        -      +", like("direct")],
    "create: of a post without an audience": ["-       -         +        -       +        +", like("old")],
    "create: of a post that is gone":     ["-          -         -        -       -        -      -", like("gone")],
    "create: of a post without an author": ["-         -         -        -       -        -      -", like("authorless")],
    "create: of a post that is new":      ["-          -         -        -       -        -      -", (me) => batch({ "posts/new": { userId: me, createdAt: serverTimestamp(), audience: me, hidden: false }, [`${of("new")}/${me}`]: mine(me, "new") })],
    "create: below it":                   ["-          -         -        -       -        -", (me) => create(`${bobs}/likes/${me}`, mine(me))],
    "update: liked again":                ["-          -         -        -       -        -", () => set(bobs, mine("bob"))],
    "update: another field":              ["-          -         -        -       -        -", () => merge(bobs, { text: "x" })],
    "delete and create at once":          ["-          -         -        -       -        -", () => replace(bobs, mine("bob"))],
    "delete: by one who is blocked":      ["-          -         -        +       -        -", () => remove(`${of("hello")}/dan`)],
    "delete: of a post that one reads no more": ["-    -         +        -       -        -      -", () => remove(`${of("club")}/carol`)],
    "delete: of a post that is gone":     ["-          -         -        -       +        -", () => remove(`${of("gone")}/bob`)],
    "delete: one that is not there":      ["-          +         +        +       +        +", (me) => remove(`${of("moved")}/${me}`)],
  },
};

/** own selects an account's likes of some posts. */
const own = (me: string, n = 50, posts = ["hello", "closed", "gone"]) => (db: Firestore) => query(group("likes")(db), where("userId", "==", me), where("postId", "in", posts), limit(n));

/** deep is a path of likes that no other rule matches. */
const deep = "posts/hello/comments/1/likes";

export const everyLike: Rights = {
  document: "{path=**}/likes/{userId}",
  rows: {
    //                                    signed-out anonymous stranger blocked follower author
    "get":                                ["-          -         -        -       -        -", (me) => get(`${deep}/${me}`)],
    "list":                               ["-          +         +        +       +        +", (me) => list(own(me))],
    "list unfiltered":                    ["-          -         -        -       -        -", () => list(group("likes"))],
    "count":                              ["-          +         +        +       +        +", (me) => count(own(me))],
    "create":                             ["-          -         -        -       -        -", (me) => create(`${deep}/${me}`, mine(me))],
    "update":                             ["-          -         -        -       -        -", () => update(`${deep}/1`, { createdAt: serverTimestamp() })],
    "delete":                             ["-          -         -        -       -        -", () => remove(`${deep}/1`)],

    "create with nothing":                ["-          -         -        -       -        -", (me) => create(`${deep}/${me}`, {})],
  },
  also: {
    //                                    signed-out anonymous stranger blocked follower author
    "list: all of one's own":             ["-          +         +        +       +        +", (me) => list((db) => query(group("likes")(db), where("userId", "==", me), limit(50)))],
    "list: bob's":                        ["-          -         -        -       +        -", () => list(own("bob"))],
    "list: two people's":                 ["-          -         -        -       -        -", (me) => list((db) => query(group("likes")(db), where("userId", "in", [me, "eve"]), limit(50)))],
    "list: everybody's":                  ["-          -         -        -       -        -", () => list((db) => query(group("likes")(db), limit(50)))],
    "list: everybody's, of a post":       ["-          -         -        -       -        -", () => list((db) => query(group("likes")(db), where("postId", "==", "hello"), limit(50)))],
    "list: 51 at a time":                 ["-          -         -        -       -        -", (me) => list(own(me, 51))],
    "list: without a limit":              ["-          -         -        -       -        -", (me) => list((db) => query(group("likes")(db), where("userId", "==", me)))],
    "list: by request, of one collection": ["-         +         +        +       +        +", (me) => request({ path: of("closed"), where: [["postId", "EQUAL", "closed"], ["userId", "EQUAL", me]], limit: 50 })],
    "list: by request, with an offset":   ["-          -         -        -       -        -", (me) => request({ path: of("closed"), where: [["userId", "EQUAL", me]], limit: 50, offset: 1 })],
    "count: everybody's":                 ["-          -         -        -       -        -", () => count((db) => query(group("likes")(db), where("postId", "==", "hello"), limit(50)))],
    "count: without a limit":             ["-          -         -        -       -        -", (me) => count((db) => query(group("likes")(db), where("userId", "==", me)))],
  },
};
