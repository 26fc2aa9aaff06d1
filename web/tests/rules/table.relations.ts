// Relations, from which feeds are read.
import { type Firestore, type QueryConstraint, arrayRemove, arrayUnion, documentId, limit, or, orderBy, query, startAfter, where } from "firebase/firestore";

import { all, count, create, get, group, list, remove, request, update } from "./operations.ts";
import type { Rights } from "./row.ts";
import { stamp, world } from "./world.ts";

const relation = "_relations/hello_00001";
const copied = world[relation]!;

/** feed is the query of a feed: the newest relations with posts for reader. */
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
    "list: by request":                   ["-          +         +        +       +        +", (me) => request({ path: "_relations", where: [["followers", "ARRAY_CONTAINS", me]], limit: 50 })],
    "list: by request, with no offset":   ["-          +         +        +       +        +", (me) => request({ path: "_relations", where: [["followers", "ARRAY_CONTAINS", me]], limit: 50, offset: 0 })],
    "list: by request, with an offset":   ["-          -         -        -       -        -", (me) => request({ path: "_relations", where: [["followers", "ARRAY_CONTAINS", me]], limit: 50, offset: 1 })],
    "list: by page":                      ["-          -         -        -       -        -", () => request({ path: "_relations", pageSize: 1 })],
    "list: by request, 51 at a time":     ["-          -         -        -       -        -", (me) => request({ path: "_relations", where: [["followers", "ARRAY_CONTAINS", me]], limit: 51 })],
    "list: by request, without a limit":  ["-          -         -        -       -        -", (me) => request({ path: "_relations", where: [["followers", "ARRAY_CONTAINS", me]] })],
    "count: by request":                  ["-          +         +        +       +        +", (me) => request({ path: "_relations", where: [["followers", "ARRAY_CONTAINS", me]], limit: 50, aggregate: { count: {} } })],
    "count: by request, with an offset":  ["-          -         -        -       -        -", (me) => request({ path: "_relations", where: [["followers", "ARRAY_CONTAINS", me]], limit: 50, offset: 1, aggregate: { count: {} } })],
    "count: by request, without a limit": ["-          -         -        -       -        -", (me) => request({ path: "_relations", where: [["followers", "ARRAY_CONTAINS", me]], aggregate: { count: {} } })],
    "list: unfiltered, with a limit":     ["-          -         -        -       -        -", () => list((db) => query(all("_relations")(db), limit(1)))],
    "list: bob's feed":                   ["-          -         -        -       +        -", () => list(feed("bob", limit(50)))],
    "list: a feed that is empty":         ["-          -         +        -       -        -      -", () => list(feed("carol", limit(50)))],
    "list: the feed of no one":           ["-          -         -        -       -        -", () => list(feed("", limit(50)))],
    "list: of ada's posts":               ["-          -         -        -       -        -", () => list((db) => query(all("_relations")(db), where("userId", "==", "ada"), limit(50)))],
    // The rules decide a query for one name on that document. It shows nobody more than their feed does.
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
