// A user document: the profile is the client's, followers_index and latestFollowersIndex are the functions'.
import { arrayUnion, deleteField, limit, query, serverTimestamp, where } from "firebase/firestore";

import { all, count, create, get, group, list, merge, remove, replace, set, update } from "./operations.ts";
import type { Rights } from "./row.ts";
import { world } from "./world.ts";

const ada = "users/ada";
const stored = world[ada]!;
const named = { name: "New" };

export const users: Rights = {
  document: "users/{userId}",
  rows: {
    //                                    signed-out anonymous stranger blocked follower author
    "get":                                ["-          +         +        +       +        +", () => get(ada)],
    "list":                               ["-          +         +        +       +        +", () => list((db) => query(all("users")(db), limit(20)))],
    "list unfiltered":                    ["-          +         +        +       +        +", () => list(all("users"))],
    "count":                              ["-          +         +        +       +        +", () => count(all("users"))],
    "create":                             ["-          -         -        -       -        +", () => create(ada, named)],
    "update":                             ["-          -         -        -       -        +", () => update(ada, named)],
    "delete":                             ["-          -         -        -       -        +", () => remove(ada)],

    "create with followers_index":        ["-          -         -        -       -        -", () => create(ada, { ...named, followers_index: ["00001"] })],
    "create with an empty followers_index": ["-        -         -        -       -        -", () => create(ada, { ...named, followers_index: [] })],
    "create with latestFollowersIndex":   ["-          -         -        -       -        -", () => create(ada, { ...named, latestFollowersIndex: "00001" })],
    "create with latestFollowersIndex by a transform": ["- -     -        -       -        -", () => create(ada, { latestFollowersIndex: serverTimestamp() })],
  },
  also: {
    //                                    signed-out anonymous stranger blocked follower author
    "get: one's own":                     ["-          +         +        +       +        +", (me) => get(`users/${me}`)],
    "list: everywhere":                   ["-          -         -        -       -        -", () => list(group("users"))],
    "list: by a field of the app":        ["-          +         +        +       +        +", () => list((db) => query(all("users")(db), where("name", "==", "Ada")))],
    "create: one's own":                  ["-          +         +        +       +        +", (me) => create(`users/${me}`, named)],
    "create: one's own, merging":         ["-          +         +        +       +        +", (me) => ({ ...merge(`users/${me}`, named), absent: true })],
    "create: nothing in it":              ["-          +         +        +       +        +", (me) => create(`users/${me}`, {})],

    // The functions' fields may be there before the profile is: a follower may come first. Merging keeps them.
    "update: merging":                    ["-          -         -        -       -        +", () => merge(ada, named)],
    "update: another field":              ["-          -         -        -       -        +", () => update(ada, { city: "Oslo" })],
    "update: all, index fields as they are": ["-       -         -        -       -        +", () => set(ada, { ...stored, ...named })],
    "update: all, without merge":         ["-          -         -        -       -        -", () => set(ada, named)],
    "update: all but followers_index":    ["-          -         -        -       -        -", () => set(ada, { latestFollowersIndex: "00001" })],
    "update: all but latestFollowersIndex": ["-        -         -        -       -        -", () => set(ada, { followers_index: ["00001"] })],
    "update: followers_index":            ["-          -         -        -       -        -", () => update(ada, { followers_index: ["00002"] })],
    "update: followers_index emptied":    ["-          -         -        -       -        -", () => update(ada, { followers_index: [] })],
    "update: followers_index and one more": ["-        -         -        -       -        -", () => update(ada, { followers_index: arrayUnion("00002") })],
    "update: followers_index as a map":   ["-          -         -        -       -        -", () => update(ada, { "followers_index.x": "00002" })],
    "update: followers_index removed":    ["-          -         -        -       -        -", () => update(ada, { followers_index: deleteField() })],
    "update: latestFollowersIndex":       ["-          -         -        -       -        -", () => update(ada, { latestFollowersIndex: "00002" })],
    "update: latestFollowersIndex removed": ["-        -         -        -       -        -", () => update(ada, { latestFollowersIndex: deleteField() })],
    "update: index fields where there were none": ["-  -         -        -       -        -", () => merge("users/bob", { followers_index: ["00001"] })],

    "delete and create at once":          ["-          -         -        -       -        -", () => replace(ada, { ...named, followers_index: ["00002"] })],
    "delete: one's own":                  ["-          +         +        +       +        +", (me) => remove(`users/${me}`)],
  },
};
