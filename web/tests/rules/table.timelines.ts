// Timelines. A timeline is the feed of one reader: nobody else sees it, and no client writes it.
import { type Firestore, limit, query } from "firebase/firestore";

import { all, count, create, get, group, list, remove, request, update } from "./operations.ts";
import type { Rights } from "./row.ts";

const bobs = "users/bob/timeline";
const open = `${bobs}/open`;
const page = (path: string, n = 50) => (db: Firestore) => query(all(path)(db), limit(n));
const entry = (author: string) => ({ entries: { p1: { author, audience: author, at: 1 } }, posts: ["p1"], accounts: [author] });

export const timeline: Rights = {
  document: "users/{userId}/timeline/{entryId}",
  rows: {
    //                                    signed-out anonymous stranger blocked follower author
    "get":                                ["-          -         -        -       +        -", () => get(open)],
    "list":                               ["-          -         -        -       +        -", () => list(page(bobs))],
    "list unfiltered":                    ["-          -         -        -       -        -", () => list(all(bobs))],
    "count":                              ["-          -         -        -       +        -", () => count(page(bobs))],
    "create":                             ["-          -         -        -       -        -", (me) => create(`${bobs}/past-00000001`, entry(me))],
    "update":                             ["-          -         -        -       -        -", () => update(open, { total: 0 })],
    "delete":                             ["-          -         -        -       -        -", () => remove(open)],

    "create with nothing":                ["-          -         -        -       -        -", () => create(`${bobs}/past-00000001`, {})],
  },
  also: {
    "get: one's own":                     ["-          +         +        +       +        +", (me) => get(`users/${me}/timeline/open`)],
    "list: one's own":                    ["-          +         +        +       +        +", (me) => list(page(`users/${me}/timeline`))],
    "list: 51 at a time":                 ["-          -         -        -       -        -", () => list(page(bobs, 51))],
    "list: by request, with an offset":   ["-          -         -        -       -        -", () => request({ path: bobs, limit: 50, offset: 1 })],
    "list: everyone's":                   ["-          -         -        -       -        -", () => list((db) => query(group("timeline")(db), limit(50)))],
    "create: one's own":                  ["-          -         -        -       -        -", (me) => create(`users/${me}/timeline/past-00000001`, entry(me))],
  },
};
