// Comments on posts: who reads a post reads them, and adds one unless the post's author blocks them.
import { type Firestore, documentId, limit, query, serverTimestamp, where } from "firebase/firestore";

import { all, batch, count, create, get, group, list, merge, remove, request, set, update } from "./operations.ts";
import type { Rights, Row } from "./row.ts";
import { inMinutes, stamp } from "./world.ts";

/** mine is a comment by whoever tries. */
const mine = (me: string) => ({ userId: me, createdAt: serverTimestamp(), text: "new" });

/** on is the comments on a post. */
const on = (post: string) => `posts/${post}/comments`;
const page = (post: string, n = 50) => (db: Firestore) => query(all(on(post))(db), limit(n));
const fresh = `${on("hello")}/new`;
const bobs = `${on("hello")}/1`;

/** to tries a comment on hello, to an audience. */
const to = (audience: unknown) => (me: string) => create(fresh, { ...mine(me), audience });

/** reading are the rows of posts that not everybody reads. */
const reading: Record<string, Row> = {
  //                                      signed-out anonymous stranger blocked follower author moderator
  "get: of a closed account":             ["-          -         -        -       +        -      +", () => get(`${on("closed")}/1`)],
  "get: of a closed group":               ["-          -         -        -       +        +      +", () => get(`${on("club")}/1`)],
  "get: of a hidden post":                ["-          -         -        -       -        +      +", () => get(`${on("hidden")}/1`)],
  "get: of a post to carol alone":        ["-          -         +        -       -        -      +", () => get(`${on("direct")}/1`)],
  "get: of a post that is gone":          ["-          -         -        -       -        -      -", () => get(`${on("gone")}/1`)],
  "get: of a post without an audience":   ["-          +         +        +       +        +", () => get(`${on("old")}/1`)],
  "get: one that is not there":           ["-          +         +        +       +        +", () => get(fresh)],

  "list: of a closed account":            ["-          -         -        -       +        -      +", () => list(page("closed"))],
  "list: of a closed group":              ["-          -         -        -       +        +      +", () => list(page("club"))],
  "list: of a hidden post":               ["-          -         -        -       -        +      +", () => list(page("hidden"))],
  "list: of a post to carol alone":       ["-          -         +        -       -        -      +", () => list(page("direct"))],
  "list: of a post that is gone":         ["-          -         -        -       -        -      -", () => list(page("gone"))],
  "list: 50 at a time":                   ["-          +         +        +       +        +", () => list(page("hello"))],
  "list: 51 at a time":                   ["-          -         -        -       -        -", () => list(page("hello", 51))],
  "list: one's own, without a limit":     ["-          -         -        -       -        -", (me) => list((db) => query(all(on("hello"))(db), where("userId", "==", me)))],
  "list: one's own, of a closed group":   ["-          -         -        -       +        +      +", (me) => list((db) => query(all(on("club"))(db), where("userId", "==", me), limit(50)))],
  "list: by name":                        ["-          +         +        +       +        +", () => list((db) => query(all(on("hello"))(db), where(documentId(), "==", "1"), limit(1)))],
  "list: by name, of a closed group":     ["-          -         -        -       +        +      +", () => list((db) => query(all(on("club"))(db), where(documentId(), "==", "1"), limit(1)))],
  "list: by request":                     ["-          +         +        +       +        +", () => request({ path: on("hello"), limit: 50 })],
  "list: by request, with an offset":     ["-          -         -        -       -        -", () => request({ path: on("hello"), limit: 50, offset: 1 })],
  "list: by request, without a limit":    ["-          -         -        -       -        -", () => request({ path: on("hello") })],
  "list: by page":                        ["-          +         +        +       +        +", () => request({ path: on("hello"), pageSize: 50 })],
  "list: by page, 51 at a time":          ["-          -         -        -       -        -", () => request({ path: on("hello"), pageSize: 51 })],
  "list: everywhere":                     ["-          -         -        -       -        -", () => list((db) => query(group("comments")(db), limit(50)))],
  "list: one's own, everywhere":          ["-          -         -        -       -        -", (me) => list((db) => query(group("comments")(db), where("userId", "==", me), limit(50)))],
  "count: of a closed group":             ["-          -         -        -       +        +      +", () => count(page("club"))],
  "count: without a limit":               ["-          -         -        -       -        -", () => count(all(on("hello")))],
  "count: everywhere":                    ["-          -         -        -       -        -", () => count((db) => query(group("comments")(db), limit(50)))],
  "count: by request, with an offset":    ["-          -         -        -       -        -", () => request({ path: on("hello"), limit: 50, offset: 1, aggregate: { count: {} } })],
};

/** addressing are the rows of a comment's audience. Dan is blocked by ada, whose post it is. */
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
    "create":                             ["-          +         +        -       +        +", (me) => create(fresh, mine(me))],
    "update":                             ["-          -         -        -       -        -", () => update(bobs, { text: "edited" })],
    "delete":                             ["-          -         -        -       +        +      +", () => remove(bobs)],

    "create with no author":              ["-          -         -        -       -        -", () => create(fresh, { createdAt: serverTimestamp() })],
    "create with a null author":          ["-          -         -        -       -        -", (me) => create(fresh, { ...mine(me), userId: null })],
    "create with oneself in a list":      ["-          -         -        -       -        -", (me) => create(fresh, { ...mine(me), userId: [me] })],
    "create with another's id":           ["-          -         -        -       -        -", () => create(fresh, mine("eve"))],
    "create with no createdAt":           ["-          -         -        -       -        -", (me) => create(fresh, { userId: me, text: "new" })],
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
    "create: in bob's name":              ["-          -         -        -       +        -      -", () => create(fresh, mine("bob"))],
    "create: without text":               ["-          +         +        -       +        +", (me) => create(fresh, { userId: me, createdAt: serverTimestamp() })],
    "create: as large as it may be":      ["-          -         -        -       +        +      -", (me) => create(`${on("hello")}/${"x".repeat(128)}`, { ...mine(me), text: "x".repeat(2000), audience: "g_team" })],
    "create: of an id too long":          ["-          -         -        -       -        -", (me) => create(`${on("hello")}/${"x".repeat(129)}`, mine(me))],
    "create: of an id with a line feed":  ["-          -         -        -       -        -", (me) => create(`${on("hello")}/a\nb`, mine(me))],
    "create: on a closed account's post": ["-          -         -        -       +        -      +", (me) => create(`${on("closed")}/new`, mine(me))],
    "create: on a closed group's post":   ["-          -         -        -       +        +      +", (me) => create(`${on("club")}/new`, mine(me))],
    "create: on a closed group's post, to it": ["-     -         -        -       +        +      -", (me) => create(`${on("club")}/new`, { ...mine(me), audience: "g_club" })],
    "create: on a hidden post":           ["-          -         -        -       -        +      +", (me) => create(`${on("hidden")}/new`, mine(me))],
    "create: on a post to carol alone":   ["-          -         +        -       -        -      +", (me) => create(`${on("direct")}/new`, mine(me))],
    "create: on a deleted group's post":  ["-          -         -        -       +        +      +", (me) => create(`${on("gone-group")}/new`, mine(me))],
    "create: on a post that is gone":     ["-          -         -        -       -        -      -", (me) => create(`${on("gone")}/new`, mine(me))],
    "create: on a post that is new":      ["-          -         -        -       -        -      -", (me) => batch({ "posts/new": { ...mine(me), audience: me, hidden: false }, [`${on("new")}/1`]: mine(me) })],
    "create: on a post without an author": ["-         -         -        -       -        -      -", (me) => create(`${on("authorless")}/new`, mine(me))],
    "create: on a comment":               ["-          -         -        -       -        -", (me) => create(`${bobs}/comments/1`, mine(me))],

    "update: over it with one's own":     ["-          -         -        -       -        -", (me) => set(bobs, mine(me))],
    "update: createdAt moved to now":     ["-          -         -        -       -        -", () => update(bobs, { createdAt: serverTimestamp() })],
    "update: to a group":                 ["-          -         -        -       -        -", () => merge(bobs, { audience: "g_team" })],

    "delete: of a post that one reads no more": ["-    -         +        -       -        -      +", () => remove(`${on("club")}/1`)],
    "delete: of a post that is gone":     ["-          -         -        -       +        -      +", () => remove(`${on("gone")}/1`)],
    "delete: of a post of another":       ["-          -         +        -       -        -      +", () => remove(`${on("direct")}/1`)],
  },
};
