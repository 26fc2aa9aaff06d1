// Posts. Rows about their readers and audiences are in table.audiences.ts.
import { Timestamp, deleteField, increment, limit, query, serverTimestamp, where } from "firebase/firestore";

import { all, batch, count, create, get, group, list, remove, request, set, update } from "./operations.ts";
import type { Request } from "./request.ts";
import type { Rights } from "./row.ts";
import { addressing, byName, ids, reading, shown } from "./table.audiences.ts";
import { inMinutes, stamp, world } from "./world.ts";

const hello = "posts/hello";
const stored = world[hello]!;
const { counts: _counts, ...written } = stored;
const { userId: _userId, ...unsigned } = written;
const { createdAt: _createdAt, ...undated } = written;

/** mine returns a post by the account that tries the operation. */
const mine = (me: string) => ({ userId: me, createdAt: serverTimestamp(), text: "new", audience: me, hidden: false });
const adas: Request["where"] = [["audience", "EQUAL", "ada"], ["hidden", "EQUAL", false]];

export const posts: Rights = {
  document: "posts/{postId}",
  rows: {
    //                                    signed-out anonymous stranger blocked follower author
    "get":                                ["-          +         +        +       +        +", () => get(hello)],
    "list":                               ["-          +         +        +       +        +", () => list((db) => query(shown("ada")(db), limit(20)))],
    "list unfiltered":                    ["-          -         -        -       -        -", () => list(all("posts"))],
    "count":                              ["-          +         +        +       +        +", () => count((db) => query(shown("ada")(db), limit(50)))],
    "create":                             ["-          -         +        +       +        +", (me) => create("posts/new", mine(me))],
    "update":                             ["-          -         -        -       -        +", () => update(hello, { text: "edited", editedAt: serverTimestamp() })],
    "delete":                             ["-          -         -        -       -        +", () => remove(hello)],

    "create with no author":              ["-          -         -        -       -        -", () => create("posts/new", unsigned)],
    "create with a null author":          ["-          -         -        -       -        -", () => create("posts/new", { ...written, userId: null })],
    "create with oneself in a list":      ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), userId: [me] })],
    "create with no createdAt":           ["-          -         -        -       -        -", (me) => create("posts/new", { ...undated, userId: me })],
    "create with createdAt as text":      ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), createdAt: "2026-01-02T03:04:05Z" })],
    "create with createdAt as a number":  ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), createdAt: stamp.toMillis() })],
    "create with createdAt in ten minutes": ["-        -         -        -       -        -", (me) => create("posts/new", { ...mine(me), createdAt: inMinutes(10) })],
    "create with createdAt in the year 9999": ["-      -         -        -       -        -", (me) => create("posts/new", { ...mine(me), createdAt: Timestamp.fromDate(new Date("9999-12-31T00:00:00Z")) })],
    "create with a field that is not named": ["-       -         -        -       -        -", (me) => create("posts/new", { ...mine(me), likes: 1_000_000 })],
    "create with counts":                 ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), counts: { likes: 1_000_000 } })],
    "create with empty counts":           ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), counts: {} })],
    "create with text as a list":         ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), text: ["x".repeat(100_000)] })],
    "create with text too long":          ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), text: "x".repeat(10_001) })],
    "create with a kind too long":        ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), kind: "x".repeat(101) })],
    "create with a kind of two lines":    ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), kind: "a\nb" })],
    "create with a kind as a number":     ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), kind: 1 })],
    "create with a kind that is null":    ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), kind: null })],
    "create with a repost of a list":     ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), repostOf: ["hello"] })],
    "create with a repost too long":      ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), repostOf: "x".repeat(129) })],
    "create with editedAt as text":       ["-          -         -        -       -        -", (me) => create("posts/new", { ...mine(me), editedAt: "x".repeat(100_000) })],
  },
  also: {
    //                                    signed-out anonymous stranger blocked follower author
    "list: 50 at a time":                 ["-          +         +        +       +        +", () => list((db) => query(shown("ada")(db), limit(50)))],
    "list: 51 at a time":                 ["-          -         -        -       -        -", () => list((db) => query(shown("ada")(db), limit(51)))],
    "list: one's own":                    ["-          +         +        +       +        +", (me) => list((db) => query(all("posts")(db), where("userId", "==", me), limit(50)))],
    "list: one's own, 51 at a time":      ["-          -         -        -       -        -", (me) => list((db) => query(all("posts")(db), where("userId", "==", me), limit(51)))],
    "list: all posts":                    ["-          -         -        -       -        -", () => list((db) => query(all("posts")(db), limit(50)))],
    "list: by page":                      ["-          -         -        -       -        -", () => request({ path: "posts", pageSize: 50 })],
    "list: by request":                   ["-          +         +        +       +        +", () => request({ path: "posts", where: adas, limit: 50 })],
    "list: by request, with an offset":   ["-          -         -        -       -        -", () => request({ path: "posts", where: adas, limit: 50, offset: 1 })],
    "list: by request, without a limit":  ["-          -         -        -       -        -", () => request({ path: "posts", where: adas })],
    "list: by request, one's own":        ["-          +         +        +       +        +", (me) => request({ path: "posts", where: [["userId", "EQUAL", me]], limit: 50 })],
    "list: by request, one's own, with an offset": ["- -        -        -       -        -", (me) => request({ path: "posts", where: [["userId", "EQUAL", me]], limit: 50, offset: 1 })],
    "list: everywhere":                   ["-          -         -        -       -        -", () => list(group("posts"))],
    "count: one's own":                   ["-          +         +        +       +        +", (me) => count((db) => query(all("posts")(db), where("userId", "==", me), limit(50)))],
    "count: one's own, without a limit":  ["-          -         -        -       -        -", (me) => count((db) => query(all("posts")(db), where("userId", "==", me)))],
    "count: without a limit":             ["-          -         -        -       -        -", () => count(shown("ada"))],
    "count: by request":                  ["-          +         +        +       +        +", () => request({ path: "posts", where: adas, limit: 50, aggregate: { count: {} } })],
    "count: by request, with an offset":  ["-          -         -        -       -        -", () => request({ path: "posts", where: adas, limit: 50, offset: 1, aggregate: { count: {} } })],
    "count: by request, without a limit": ["-          -         -        -       -        -", () => request({ path: "posts", where: adas, aggregate: { count: {} } })],
    ...reading,
    ...byName,
    ...addressing,
    "create: as large as it may be":      ["-          -         +        +       +        +", (me) => create("posts/new", { ...mine(me), kind: "x".repeat(100), text: "x".repeat(10_000), editedAt: serverTimestamp(), repostOf: "x".repeat(128), to: ids(100), refs: ids(10) })],
    "create: a repost":                   ["-          -         +        +       +        +", (me) => create(`posts/${me}.hello`, { ...mine(me), text: "", kind: "repost", repostOf: "hello" })],
    "create: with one's profile":         ["-          +         +        +       +        +", (me) => ({ ...batch({ [`users/${me}`]: { name: "New" }, "posts/new": mine(me) }), absent: true })],
    "create: in ada's name":              ["-          -         -        -       -        +", () => create("posts/new", mine("ada"))],
    "create: dated in the past":          ["-          -         +        +       +        +", (me) => create("posts/new", { ...mine(me), createdAt: stamp })],
    "create: by a clock that is fast":    ["-          -         +        +       +        +", (me) => create("posts/new", { ...mine(me), createdAt: inMinutes(2) })],
    "create: of the longest id":          ["-          -         +        +       +        +", (me) => create(`posts/${"x".repeat(128)}`, mine(me))],
    "create: of an id too long":          ["-          -         -        -       -        -", (me) => create(`posts/${"x".repeat(129)}`, mine(me))],
    "create: of an id of any letters":    ["-          -         +        +       +        +", (me) => create("posts/ä 漢😀`\\", mine(me))],
    "create: of an id too long in bytes": ["-          -         -        -       -        -", (me) => create(`posts/${"漢".repeat(43)}`, mine(me))],
    "create: of an id as long as may be in bytes": ["- -      +        +       +        +", (me) => create(`posts/${"😀".repeat(32)}`, mine(me))],
    "create: of a reserved id":           ["-          -         -        -       -        -", (me) => create("posts/__id5__", mine(me))],
    "create: of an id that looks reserved": ["-        -         +        +       +        +", (me) => create("posts/__id5_", mine(me))],
    "create: of an id that is turned around": ["-      -         -        -       -        -", (me) => create("posts/a\u202eb", mine(me))],
    "create: of an id with a joiner":     ["-          -         -        -       -        -", (me) => create("posts/👩\u200d👧", mine(me))],
    "create: of an id with a variation":  ["-          -         -        -       -        -", (me) => create("posts/❤\ufe0f", mine(me))],
    "create: of an id that ends with a space": ["-     -         -        -       -        -", (me) => create("posts/a ", mine(me))],
    "create: of an id with two spaces":   ["-          -         -        -       -        -", (me) => create("posts/a  b", mine(me))],
    "create: of an id with a wide space": ["-          -         -        -       -        -", (me) => create("posts/a\u3000b", mine(me))],
    "create: of an id with a line feed":  ["-          -         -        -       -        -", (me) => create("posts/a\nb", mine(me))],
    "create: of an id that begins with a control": ["- -         -        -       -        -", (me) => create("posts/\u0001", mine(me))],
    "create: of an id that ends with a control": ["-  -         -        -       -        -", (me) => create("posts/a\u007f", mine(me))],

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
    "update: all but counts":             ["-          -         -        -       -        -", () => set(hello, { ...written, text: "edited" })],
    "update: counts":                     ["-          -         -        -       -        -", () => update(hello, { counts: { likes: 1_000_000, comments: 1 } })],
    "update: a count":                    ["-          -         -        -       -        -", () => update(hello, { "counts.likes": increment(1) })],
    "update: counts removed":             ["-          -         -        -       -        -", () => update(hello, { counts: deleteField() })],
    "update: counts where there were none": ["-        -         -        -       -        -", () => update("posts/old", { counts: { likes: 1 } })],
    "update: counts, and hidden by a moderator": ["- -         -        -       -        -", () => update(hello, { hidden: true, hiddenBy: "moderator", counts: { likes: 0 } })],
    "update: counts, and hidden by the owner": ["-  -         -        -       -        -", () => update("posts/ours", { hidden: true, hiddenBy: "owner", counts: { likes: 0 } })],
    "update: text too long":              ["-          -         -        -       -        -", () => update(hello, { text: "x".repeat(10_001) })],
    "update: one's own, without a profile": ["-        -         -        -       -        -", () => ({ ...update(hello, { text: "edited" }), there: { "users/ada": {} } })],
    "update: kind":                       ["-          -         -        -       -        +", () => update(hello, { kind: "poll" })],
    "update: kind removed":               ["-          -         -        -       -        +", () => update(hello, { kind: deleteField() })],
    "update: kind too long":              ["-          -         -        -       -        -", () => update(hello, { kind: "x".repeat(101) })],
    "update: kind as a list":             ["-          -         -        -       -        -", () => update(hello, { kind: ["poll"] })],
    "update: one without createdAt":      ["-          -         -        -       -        +", () => update("posts/undated", { text: "edited" })],
    "update: one without createdAt, dated": ["-        -         -        -       -        -", () => update("posts/undated", { createdAt: stamp })],
    "update: one without createdAt, dated now": ["-    -         -        -       -        -", () => update("posts/undated", { createdAt: serverTimestamp() })],
    "update: one without an author":      ["-          -         -        -       -        -", () => update("posts/authorless", { text: "mine" })],
    "update: one without an author, taken": ["-        -         -        -       -        -", (me) => update("posts/authorless", { userId: me })],
    "delete: one without an author":      ["-          -         -        -       -        -", () => remove("posts/authorless")],
    "delete: one that is gone":           ["-          -         -        -       -        -", () => remove("posts/gone")],
  },
};
