// Posts, and the relations that make them a feed.
import {
  type Firestore,
  type QueryConstraint,
  Timestamp,
  arrayRemove,
  arrayUnion,
  deleteField,
  documentId,
  limit,
  or,
  orderBy,
  query,
  serverTimestamp,
  startAfter,
  where,
} from "firebase/firestore";

import { all, count, create, get, group, list, remove, request, set, update } from "./operations.ts";
import type { Rights } from "./row.ts";
import { stamp, world } from "./world.ts";

const hello = "posts/hello";
const stored = world[hello]!;
const { userId: _userId, ...unsigned } = stored;
const { createdAt: _createdAt, ...undated } = stored;

/** mine is a post by whoever tries. */
const mine = (me: string) => ({ userId: me, createdAt: serverTimestamp(), text: "new" });
const inMinutes = (minutes: number) => Timestamp.fromMillis(Date.now() + minutes * 60_000);

export const posts: Rights = {
  document: "posts/{postId}",
  rows: {
    //                                    signed-out anonymous stranger blocked follower author
    "get":                                ["-          +         +        +       +        +", () => get(hello)],
    "list":                               ["-          +         +        +       +        +", () => list((db) => query(all("posts")(db), where("userId", "==", "ada"), limit(20)))],
    "list unfiltered":                    ["-          -         -        -       -        -", () => list(all("posts"))],
    "count":                              ["-          +         +        +       +        +", () => count((db) => query(all("posts")(db), where("userId", "==", "ada"), limit(50)))],
    "create":                             ["-          +         +        +       +        +", (me) => create("posts/new", mine(me))],
    "update":                             ["-          -         -        -       -        +", () => update(hello, { text: "edited", editedAt: serverTimestamp() })],
    "delete":                             ["-          -         -        -       -        +", () => remove(hello)],

    "create with no author":              ["-          -         -        -       -        -", () => create("posts/new", unsigned)],
    "create with a null author":          ["-          -         -        -       -        -", () => create("posts/new", { ...stored, userId: null })],
    "create with oneself in a list":      ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), userId: [me] })],
    "create with no createdAt":           ["-          -         -        -       -        -", (me) => create("posts/new", { ...undated, userId: me })],
    "create with createdAt as text":      ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), createdAt: "2026-01-02T03:04:05Z" })],
    "create with createdAt as a number":  ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), createdAt: stamp.toMillis() })],
    "create with createdAt in ten minutes": ["-        -         -        -       -        -", (me) => create("posts/new", { ...mine(me), createdAt: inMinutes(10) })],
    "create with createdAt in the year 9999": ["-      -         -        -       -        -", (me) => create("posts/new", { ...mine(me), createdAt: Timestamp.fromDate(new Date("9999-12-31T00:00:00Z")) })],
    "create with a field that is not named": ["-       -         -        -       -        -", (me) => create("posts/new", { ...mine(me), likes: 1_000_000 })],
    "create with text as a list":         ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), text: ["x".repeat(100_000)] })],
    "create with text too long":          ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), text: "x".repeat(10_001) })],
    "create with editedAt as text":       ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), editedAt: "x".repeat(100_000) })],
  },
  also: {
    //                                    signed-out anonymous stranger blocked follower author
    "list: 50 at a time":                 ["-          +         +        +       +        +", () => list((db) => query(all("posts")(db), limit(50)))],
    "list: 51 at a time":                 ["-          -         -        -       -        -", () => list((db) => query(all("posts")(db), limit(51)))],
    "list: by name":                      ["-          +         +        +       +        +", () => list((db) => query(all("posts")(db), where(documentId(), "in", ["hello", "gone"]), limit(2)))],
    "list: by name, without a limit":     ["-          -         -        -       -        -", () => list((db) => query(all("posts")(db), where(documentId(), "in", ["hello", "gone"])))],
    "list: by request":                   ["-          +         +        +       +        +", () => request({ path: "posts", limit: 50 })],
    "list: by page, 50 at a time":        ["-          +         +        +       +        +", () => request({ path: "posts", pageSize: 50 })],
    "list: by page, 51 at a time":        ["-          -         -        -       -        -", () => request({ path: "posts", pageSize: 51 })],
    "list: by request, with an offset":   ["-          -         -        -       -        -", () => request({ path: "posts", limit: 50, offset: 1 })],
    "list: by request, without a limit":  ["-          -         -        -       -        -", () => request({ path: "posts" })],
    "list: by request, of an author's":   ["-          +         +        +       +        +", () => request({ path: "posts", where: ["userId", "EQUAL", "ada"], limit: 50 })],
    "list: everywhere":                   ["-          -         -        -       -        -", () => list(group("posts"))],
    "count: without a limit":             ["-          -         -        -       -        -", () => count((db) => query(all("posts")(db), where("userId", "==", "ada")))],
    "count: by request":                  ["-          +         +        +       +        +", () => request({ path: "posts", limit: 50, aggregate: { count: {} } })],
    "count: by request, with an offset":  ["-          -         -        -       -        -", () => request({ path: "posts", limit: 50, offset: 1, aggregate: { count: {} } })],
    "count: by request, without a limit": ["-          -         -        -       -        -", () => request({ path: "posts", aggregate: { count: {} } })],
    "create: as large as it may be":      ["-          +         +        +       +        +", (me) => create("posts/new", { ...mine(me), text: "x".repeat(10_000), editedAt: serverTimestamp() })],
    "create: in ada's name":              ["-          -         -        -       -        +", () => create("posts/new", mine("ada"))],
    "create: dated in the past":          ["-          +         +        +       +        +", (me) => create("posts/new", { ...mine(me), createdAt: stamp })],
    "create: by a clock that is fast":    ["-          +         +        +       +        +", (me) => create("posts/new", { ...mine(me), createdAt: inMinutes(2) })],
    "create: of the longest id":          ["-          +         +        +       +        +", (me) => create(`posts/${"x".repeat(128)}`, mine(me))],
    "create: of an id too long":          ["-          -         -        -       -        -", (me) => create(`posts/${"x".repeat(129)}`, mine(me))],

    "update: all of it":                  ["-          -         -        -       -        +", () => set(hello, { ...stored, text: "edited" })],
    "update: over another's with one's own": ["-       -         -        -       -        +", (me) => set(hello, { ...stored, userId: me, text: "mine" })],
    "update: author becomes bob":         ["-          -         -        -       -        -", () => update(hello, { userId: "bob" })],
    "update: author becomes oneself":     ["-          -         -        -       -        +", (me) => update(hello, { userId: me })],
    "update: author removed":             ["-          -         -        -       -        -", () => update(hello, { userId: deleteField() })],
    "update: createdAt as it is":         ["-          -         -        -       -        +", () => update(hello, { text: "edited", createdAt: stamp })],
    "update: createdAt moved to now":     ["-          -         -        -       -        -", () => update(hello, { createdAt: serverTimestamp() })],
    "update: createdAt moved forward":    ["-          -         -        -       -        -", () => update(hello, { createdAt: Timestamp.fromMillis(stamp.toMillis() + 1) })],
    "update: createdAt moved back":       ["-          -         -        -       -        -", () => update(hello, { createdAt: Timestamp.fromMillis(stamp.toMillis() - 1) })],
    "update: createdAt in ten minutes":   ["-          -         -        -       -        -", () => update(hello, { createdAt: inMinutes(10) })],
    "update: createdAt as text":          ["-          -         -        -       -        -", () => update(hello, { createdAt: "2026-01-02" })],
    "update: createdAt removed":          ["-          -         -        -       -        -", () => update(hello, { createdAt: deleteField() })],
    "update: a field that is not named":  ["-          -         -        -       -        -", () => update(hello, { likes: 1_000_000 })],
    "update: text too long":              ["-          -         -        -       -        -", () => update(hello, { text: "x".repeat(10_001) })],
    "update: one without createdAt":      ["-          -         -        -       -        +", () => update("posts/undated", { text: "edited" })],
    "update: one without createdAt, dated": ["-        -         -        -       -        -", () => update("posts/undated", { createdAt: stamp })],
    "update: one without createdAt, dated now": ["-    -         -        -       -        -", () => update("posts/undated", { createdAt: serverTimestamp() })],
    "update: one without an author":      ["-          -         -        -       -        -", () => update("posts/authorless", { text: "mine" })],
    "update: one without an author, taken": ["-        -         -        -       -        -", (me) => update("posts/authorless", { userId: me })],
    "delete: one without an author":      ["-          -         -        -       -        -", () => remove("posts/authorless")],
    "delete: one that is gone":           ["-          -         -        -       -        -", () => remove("posts/gone")],
  },
};

const relation = "_relations/hello_00001";
const copied = world[relation]!;

/** feed is the query of the whole project: the newest posts of those whom reader follows. */
const feed = (reader: string, ...more: QueryConstraint[]) => (db: Firestore) =>
  query(all("_relations")(db), where("followers", "array-contains", reader), orderBy("createdAt", "desc"), ...more);

export const relations: Rights = {
  document: "_relations/{relationId}",
  rows: {
    //                                    signed-out anonymous stranger blocked follower author
    "get":                                ["-          -         -        -       -        -", () => get(relation)],
    "list":                               ["-          +         +        +       +        +", (me) => list(feed(me, limit(20)))],
    "list unfiltered":                    ["-          -         -        -       -        -", () => list(all("_relations"))],
    "count":                              ["-          +         +        +       +        +", (me) => count(feed(me, limit(50)))],
    "create":                             ["-          -         -        -       -        -", () => create("_relations/hello_00002", copied)],
    "update":                             ["-          -         -        -       -        -", (me) => update(relation, { followers: arrayUnion(me) })],
    "delete":                             ["-          -         -        -       -        -", () => remove(relation)],

    "create with oneself in it":          ["-          -         -        -       -        -", (me) => create("_relations/hello_00002", { ...copied, followers: [me] })],
  },
  also: {
    //                                    signed-out anonymous stranger blocked follower author
    "get: one that is not there":         ["-          -         -        -       -        -", () => get("_relations/hello_00002")],
    "list: 50 at a time":                 ["-          +         +        +       +        +", (me) => list(feed(me, limit(50)))],
    "list: the second page":              ["-          +         +        +       +        +", (me) => list(feed(me, startAfter(stamp), limit(50)))],
    "list: of one author":                ["-          +         +        +       +        +", (me) => list((db) => query(all("_relations")(db), where("followers", "array-contains", me), where("userId", "==", "ada"), limit(50)))],
    "list: 51 at a time":                 ["-          -         -        -       -        -", (me) => list(feed(me, limit(51)))],
    "list: without a limit":              ["-          -         -        -       -        -", (me) => list(feed(me))],
    "list: by request":                   ["-          +         +        +       +        +", (me) => request({ path: "_relations", where: ["followers", "ARRAY_CONTAINS", me], limit: 50 })],
    "list: by request, with no offset":   ["-          +         +        +       +        +", (me) => request({ path: "_relations", where: ["followers", "ARRAY_CONTAINS", me], limit: 50, offset: 0 })],
    "list: by request, with an offset":   ["-          -         -        -       -        -", (me) => request({ path: "_relations", where: ["followers", "ARRAY_CONTAINS", me], limit: 50, offset: 1 })],
    "list: by page":                      ["-          -         -        -       -        -", () => request({ path: "_relations", pageSize: 1 })],
    "list: by request, 51 at a time":     ["-          -         -        -       -        -", (me) => request({ path: "_relations", where: ["followers", "ARRAY_CONTAINS", me], limit: 51 })],
    "list: by request, without a limit":  ["-          -         -        -       -        -", (me) => request({ path: "_relations", where: ["followers", "ARRAY_CONTAINS", me] })],
    "count: by request":                  ["-          +         +        +       +        +", (me) => request({ path: "_relations", where: ["followers", "ARRAY_CONTAINS", me], limit: 50, aggregate: { count: {} } })],
    "count: by request, with an offset":  ["-          -         -        -       -        -", (me) => request({ path: "_relations", where: ["followers", "ARRAY_CONTAINS", me], limit: 50, offset: 1, aggregate: { count: {} } })],
    "count: by request, without a limit": ["-          -         -        -       -        -", (me) => request({ path: "_relations", where: ["followers", "ARRAY_CONTAINS", me], aggregate: { count: {} } })],
    "list: unfiltered, with a limit":     ["-          -         -        -       -        -", () => list((db) => query(all("_relations")(db), limit(1)))],
    "list: bob's feed":                   ["-          -         -        -       +        -", () => list(feed("bob", limit(50)))],
    "list: a feed that is empty":         ["-          -         +        -       -        -", () => list(feed("carol", limit(50)))],
    "list: the feed of no one":           ["-          -         -        -       -        -", () => list(feed("", limit(50)))],
    "list: of ada's posts":               ["-          -         -        -       -        -", () => list((db) => query(all("_relations")(db), where("userId", "==", "ada"), limit(50)))],
    // A query for one name is judged by that document. It shows nobody more than their feed does.
    "list: by name":                      ["-          -         -        +       +        -", () => list((db) => query(all("_relations")(db), where(documentId(), "==", "hello_00001"), limit(1)))],
    "list: one's own and another's":      ["-          -         -        -       -        -", (me) => list((db) => query(all("_relations")(db), where("followers", "array-contains-any", [me, "eve"]), limit(50)))],
    "list: one's own, or all of ada":     ["-          -         -        -       -        -", (me) => list((db) => query(all("_relations")(db), or(where("followers", "array-contains", me), where("userId", "==", "ada")), limit(50)))],
    "list: one's own, everywhere":        ["-          -         -        -       -        -", (me) => list((db) => query(group("_relations")(db), where("followers", "array-contains", me), limit(50)))],
    "count: without a limit":             ["-          -         -        -       -        -", (me) => count(feed(me))],
    "count: bob's feed":                  ["-          -         -        -       +        -", () => count(feed("bob", limit(50)))],
    "update: without oneself":            ["-          -         -        -       -        -", (me) => update(relation, { followers: arrayRemove(me) })],
    "update: of another author":          ["-          -         -        -       -        -", (me) => update(relation, { userId: me })],
  },
};
