// A user document: the profile is the client's; followers_index, latestFollowersIndex and counts are the functions'.
import { arrayUnion, deleteField, increment, limit, query, serverTimestamp, where } from "firebase/firestore";

import { right, wrong } from "../names.ts";
import { all, batch, count, create, get, group, list, merge, remove, replace, request, set, update } from "./operations.ts";
import type { Rights, Row } from "./row.ts";
import { type Fields, purging, world } from "./world.ts";

const ada = "users/ada";
const stored = world[ada]!;
const named = { name: "New" };

/** allBut returns the stored document with another name and without a field. */
function allBut(field: string): Fields {
  const { [field]: _, ...others } = stored;
  return { ...others, ...named };
}

/** nameless is the document that functions have written for an account without a profile. */
const nameless = (id: string): Record<string, Fields> => ({ [`users/${id}`]: { followers_index: ["00001"], latestFollowersIndex: "00001" } });

/** blank are names that show nothing, or what only some fonts have. */
const blank: Record<string, string> = { "no letter": "", "spaces alone": " \u00a0\u3000", "a mark alone": "\u0301", "a private character": "\ue000" };

const bad = Object.fromEntries(Object.entries({ ...blank, ...wrong }).map(([what, name]): [`create with ${string}`, Row] => [`create with a name of ${what}`, ["- - - - - -", (me) => create(`users/${me}`, { name })]]));
const good = Object.fromEntries(Object.keys(right).map((name): [string, Row] => [`create: with the name ${name}`, ["- + + + + +", (me) => create(`users/${me}`, { name })]]));

export const users: Rights = {
  document: "users/{userId}",
  rows: {
    //                                    signed-out anonymous stranger blocked follower author
    "get":                                ["-          +         +        +       +        +", () => get(ada)],
    "list":                               ["-          +         +        +       +        +", () => list((db) => query(all("users")(db), limit(20)))],
    "list unfiltered":                    ["-          -         -        -       -        -", () => list(all("users"))],
    "count":                              ["-          +         +        +       +        +", () => count((db) => query(all("users")(db), limit(50)))],
    "create":                             ["-          -         -        -       -        +", () => create(ada, named)],
    "update":                             ["-          -         -        -       -        +", () => update(ada, named)],
    "delete":                             ["-          -         -        -       -        +", () => remove(ada)],

    "create with followers_index":        ["-          -         -        -       -        -", () => create(ada, { ...named, followers_index: ["00001"] })],
    "create with an empty followers_index": ["-        -         -        -       -        -", () => create(ada, { ...named, followers_index: [] })],
    "create with latestFollowersIndex":   ["-          -         -        -       -        -", () => create(ada, { ...named, latestFollowersIndex: "00001" })],
    "create with latestFollowersIndex by a transform": ["- -     -        -       -        -", () => create(ada, { ...named, latestFollowersIndex: serverTimestamp() })],
    "create with counts":                 ["-          -         -        -       -        -", (me) => create(`users/${me}`, { ...named, counts: { followers: 1_000_000 } })],
    "create with empty counts":           ["-          -         -        -       -        -", (me) => create(`users/${me}`, { ...named, counts: {} })],
    "create with nothing":                ["-          -         -        -       -        -", (me) => create(`users/${me}`, {})],
    "create with a field that is not named": ["-       -         -        -       -        -", (me) => create(`users/${me}`, { ...named, city: "Oslo" })],
    "create with a name as a list":       ["-          -         -        -       -        -", (me) => create(`users/${me}`, { name: ["x".repeat(100_000)] })],
    "create with a name too long":        ["-          -         -        -       -        -", (me) => create(`users/${me}`, { name: "x".repeat(101) })],
    ...bad,
    "create with nameLower turned around": ["-         -         -        -       -        -", (me) => create(`users/${me}`, { ...named, nameLower: "\u202eada" })],
    "create with a photoURL of two lines": ["-         -         -        -       -        -", (me) => create(`users/${me}`, { ...named, photoURL: "https://a\nb" })],
    "create with a photoURL of a script": ["-          -         -        -       -        -", (me) => create(`users/${me}`, { ...named, photoURL: "javascript:alert(1)" })],
    "create with a photoURL that is the file": ["-     -         -        -       -        -", (me) => create(`users/${me}`, { ...named, photoURL: "data:text/html,hello" })],
    "create with a photoURL of a script, turned": ["-  -         -        -       -        -", (me) => create(`users/${me}`, { ...named, photoURL: " JavaScript:alert(1)//https://" })],
    "create with nameLower too long":     ["-          -         -        -       -        -", (me) => create(`users/${me}`, { name: "Zoë", nameLower: "x".repeat(301) })],
    "create with nameLower of another":   ["-          -         -        -       -        -", (me) => create(`users/${me}`, { ...named, nameLower: "ada" })],
    "create with a bio too long":         ["-          -         -        -       -        -", (me) => create(`users/${me}`, { ...named, bio: "x".repeat(1001) })],
    "create with closed as text":         ["-          -         -        -       -        -", (me) => create(`users/${me}`, { ...named, closed: "yes" })],
    "create with a group's fields":       ["-          -         -        -       -        -", (me) => create(`users/${me}`, { ...named, ownerId: me })],
    "create with an id like a group's":   ["-          -         -        -       -        -", () => create("users/g_team", named)],
    "create with a photoURL too long":    ["-          -         -        -       -        -", (me) => create(`users/${me}`, { ...named, photoURL: "x".repeat(2001) })],
  },
  also: {
    //                                    signed-out anonymous stranger blocked follower author
    "get: one's own":                     ["-          +         +        +       +        +", (me) => get(`users/${me}`)],
    "list: everywhere":                   ["-          -         -        -       -        -", () => list(group("users"))],
    "list: by a field of the app":        ["-          +         +        +       +        +", () => list((db) => query(all("users")(db), where("name", "==", "Ada"), limit(50)))],
    "list: 50 at a time":                 ["-          +         +        +       +        +", () => list((db) => query(all("users")(db), limit(50)))],
    "list: 51 at a time":                 ["-          -         -        -       -        -", () => list((db) => query(all("users")(db), limit(51)))],
    "count: without a limit":             ["-          -         -        -       -        -", () => count(all("users"))],
    "list: by request":                   ["-          +         +        +       +        +", () => request({ path: "users", limit: 50 })],
    "list: by page, 50 at a time":        ["-          +         +        +       +        +", () => request({ path: "users", pageSize: 50 })],
    "list: by page, 51 at a time":        ["-          -         -        -       -        -", () => request({ path: "users", pageSize: 51 })],
    "list: by request, with no offset":   ["-          +         +        +       +        +", () => request({ path: "users", limit: 50, offset: 0 })],
    "list: by request, with an offset":   ["-          -         -        -       -        -", () => request({ path: "users", limit: 50, offset: 1 })],
    "list: by request, without a limit":  ["-          -         -        -       -        -", () => request({ path: "users" })],
    "count: by request":                  ["-          +         +        +       +        +", () => request({ path: "users", limit: 50, aggregate: { count: {} } })],
    "count: by request, with an offset":  ["-          -         -        -       -        -", () => request({ path: "users", limit: 50, offset: 1, aggregate: { count: {} } })],
    "count: by request, without a limit": ["-          -         -        -       -        -", () => request({ path: "users", aggregate: { count: {} } })],
    "sum: by request":                    ["-          +         +        +       +        +", () => request({ path: "users", limit: 50, aggregate: { sum: { field: { fieldPath: "followers" } } } })],
    "sum: by request, without a limit":   ["-          -         -        -       -        -", () => request({ path: "users", aggregate: { sum: { field: { fieldPath: "followers" } } } })],
    "create: one's own":                  ["-          +         +        +       +        +", (me) => create(`users/${me}`, named)],
    ...good,
    "create: with a key of small letters": ["-         +         +        +       +        +", (me) => create(`users/${me}`, { ...named, nameLower: "new" })],
    "create: with a key of single spaces": ["-         +         +        +       +        +", (me) => create(`users/${me}`, { name: " Ada  B. ", nameLower: "ada b." })],
    "create: with a key beyond ASCII":    ["-          +         +        +       +        +", (me) => create(`users/${me}`, { name: "Zoë", nameLower: "zoe" })],
    "create: with a photo of the web":    ["-          +         +        +       +        +", (me) => create(`users/${me}`, { ...named, photoURL: "https://example.com/a:b?c=d" })],
    "create: with a photo in storage":    ["-          +         +        +       +        +", (me) => create(`users/${me}`, { ...named, photoURL: "gs://example/photos/1" })],
    "create: with a photo by its path":   ["-          +         +        +       +        +", (me) => create(`users/${me}`, { ...named, photoURL: "photos/1.jpg" })],
    "create: one's own, merging":         ["-          +         +        +       +        +", (me) => ({ ...merge(`users/${me}`, named), absent: true })],
    "create: as large as it may be":      ["-          +         +        +       +        +", (me) => create(`users/${me}`, { name: "é".repeat(100), nameLower: "x".repeat(300), bio: "x".repeat(1000), photoURL: "x".repeat(2000), closed: true })],

    // While the purge of an account is under way, and for an hour after it, its document can be neither created nor named.
    "create: while it is purged":         ["-          -         -        -       -        -", (me) => ({ ...create(`users/${me}`, named), there: purging(me) })],
    "create: within an hour after it was purged": ["- -       -        -       -        -", (me) => ({ ...create(`users/${me}`, named), there: purging(me, 2) })],
    "create: an hour after it was purged": ["-         +         +        +       +        +", (me) => ({ ...create(`users/${me}`, named), there: purging(me, -1) })],
    "create: while another is purged":    ["-          +         +        +       +        +", (me) => ({ ...create(`users/${me}`, named), there: purging("zoe") })],
    "update: named":                      ["-          +         +        +       +        +", (me) => ({ ...merge(`users/${me}`, named), there: nameless(me) })],
    "update: named, while it is purged":  ["-          -         -        -       -        -", (me) => ({ ...merge(`users/${me}`, named), there: { ...nameless(me), ...purging(me) } })],
    "update: named, within an hour after it was purged": ["- -  -        -       -        -", (me) => ({ ...merge(`users/${me}`, named), there: { ...nameless(me), ...purging(me, 2) } })],
    "update: named, an hour after it was purged": ["-  +         +        +       +        +", (me) => ({ ...merge(`users/${me}`, named), there: { ...nameless(me), ...purging(me, -1) } })],
    "update: by a server named, while it is purged": ["- +      +        +       +        +", (me) => ({ ...update(`users/${me}`, named), there: { [`users/${me}`]: { name: "Old" }, ...purging(me) } })],

    // The functions' fields may exist before the profile: an import may come first. A merge keeps these fields.
    "update: merging":                    ["-          -         -        -       -        +", () => merge(ada, named)],
    "update: closed":                     ["-          -         -        -       -        +", () => update(ada, { closed: true })],
    "update: closed as a number":         ["-          -         -        -       -        -", () => update(ada, { closed: 1 })],
    "update: of one who has an owner":    ["-          -         -        -       -        -", () => update("users/managed", named)],
    "delete: of one who has an owner":    ["-          -         -        -       -        -", () => batch({ "users/managed": null, "_tombstones/managed": {} })],
    "update: another field":              ["-          -         -        -       -        +", () => update(ada, { bio: "Writes." })],
    "update: a field that is not named":  ["-          -         -        -       -        -", () => update(ada, { city: "Oslo" })],
    "update: a field of a server":        ["-          -         -        -       -        -", () => update(ada, { verified: false })],
    "update: a field of a server removed": ["-         -         -        -       -        -", () => update(ada, { verified: deleteField() })],
    "update: name too long":              ["-          -         -        -       -        -", () => update(ada, { name: "x".repeat(101) })],
    "update: name turned around":         ["-          -         -        -       -        -", () => update(ada, { name: "\u202eadA" })],
    "update: name removed":               ["-          -         -        -       -        -", () => update(ada, { name: deleteField() })],
    "update: all, index fields as they are": ["-       -         -        -       -        +", () => set(ada, { ...stored, ...named })],
    "update: all, without merge":         ["-          -         -        -       -        -", () => set(ada, named)],
    "update: all but followers_index":    ["-          -         -        -       -        -", () => set(ada, allBut("followers_index"))],
    "update: all but latestFollowersIndex": ["-        -         -        -       -        -", () => set(ada, allBut("latestFollowersIndex"))],
    "update: followers_index":            ["-          -         -        -       -        -", () => update(ada, { followers_index: ["00002"] })],
    "update: followers_index emptied":    ["-          -         -        -       -        -", () => update(ada, { followers_index: [] })],
    "update: followers_index and one more": ["-        -         -        -       -        -", () => update(ada, { followers_index: arrayUnion("00002") })],
    "update: followers_index as a map":   ["-          -         -        -       -        -", () => update(ada, { "followers_index.x": "00002" })],
    "update: followers_index removed":    ["-          -         -        -       -        -", () => update(ada, { followers_index: deleteField() })],
    "update: latestFollowersIndex":       ["-          -         -        -       -        -", () => update(ada, { latestFollowersIndex: "00002" })],
    "update: latestFollowersIndex removed": ["-        -         -        -       -        -", () => update(ada, { latestFollowersIndex: deleteField() })],
    "update: index fields where there were none": ["-  -         -        -       -        -", () => merge("users/bob", { followers_index: ["00001"] })],

    "update: all but counts":             ["-          -         -        -       -        -", () => set(ada, allBut("counts"))],
    "update: counts":                     ["-          -         -        -       -        -", () => update(ada, { counts: { followers: 1_000_000, following: 0, posts: 1 } })],
    "update: a count":                    ["-          -         -        -       -        -", () => update(ada, { "counts.followers": increment(1) })],
    "update: counts removed":             ["-          -         -        -       -        -", () => update(ada, { counts: deleteField() })],
    "update: counts where there were none": ["-        -         -        -       -        -", (me) => ({ ...merge(`users/${me}`, { counts: { followers: 1 } }), there: { [`users/${me}`]: named } })],

    "delete and create at once":          ["-          -         -        -       -        -", () => replace(ada, { ...named, followers_index: ["00002"] })],
    "delete: one's own":                  ["-          +         +        +       +        +", (me) => remove(`users/${me}`)],
  },
};
