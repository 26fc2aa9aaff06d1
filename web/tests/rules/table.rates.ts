// The rate of each kind of acts: the number of acts that an account has counted. The rows are the same with and without a pace.
import { type Firestore, increment, limit, query, serverTimestamp } from "firebase/firestore";

import { type Operation, all, count, create, get, group, list, merge, remove, set, update } from "./operations.ts";
import type { Rights } from "./row.ts";
import { type Fields, inMinutes, purging, stamp } from "./world.ts";

const bobs = "users/bob/rates/posts";
const page = (db: Firestore) => query(all("users/bob/rates")(db), limit(50));

/** begun returns a count that begins. */
const begun = () => ({ start: serverTimestamp(), n: 0 });

/** counted returns the rate that a batch of acts with these ids writes. n is the count after the batch. */
const counted = (ids: unknown, n: unknown) => ({ ids, at: serverTimestamp(), n });

/** after runs an operation on a count of n that began so many minutes ago. */
const after = (minutes: number, n: number, operation: Operation): Operation => ({ ...operation, there: { [bobs]: { start: inMinutes(-minutes), n } } });

const letters = (n: number) => [..."abcdefghij"].slice(0, n);
const acts = (ids: unknown, n: unknown, more: Fields = {}) => update(bobs, { ...counted(ids, n), ...more });

export const rates: Rights = {
  document: "users/{userId}/rates/{kind}",
  rows: {
    //                                    signed-out anonymous stranger blocked follower author
    "get":                                ["-          -         -        -       +        -", () => get(bobs)],
    "list":                               ["-          -         -        -       -        -", () => list(page)],
    "list unfiltered":                    ["-          -         -        -       -        -", () => list(all("users/bob/rates"))],
    "count":                              ["-          -         -        -       -        -", () => count(page)],
    "create":                             ["-          -         -        -       +        -", () => create(bobs, begun())],
    "update":                             ["-          -         -        -       +        -", () => acts(["a"], 2)],
    "delete":                             ["-          -         -        -       -        -", () => remove(bobs)],

    "create with a count":                ["-          -         -        -       -        -", () => create(bobs, { ...begun(), n: 1 })],
    "create with less than no count":     ["-          -         -        -       -        -", () => create(bobs, { ...begun(), n: -100 })],
    "create with a start of one's own":   ["-          -         -        -       -        -", () => create(bobs, { ...begun(), start: stamp })],
    "create with another field":          ["-          -         -        -       -        -", () => create(bobs, { ...begun(), text: "x" })],
    "create with no start":               ["-          -         -        -       -        -", () => create(bobs, { n: 0 })],
    "create with no count":               ["-          -         -        -       -        -", () => create(bobs, { start: serverTimestamp() })],
    "create with an act":                 ["-          -         -        -       -        -", () => create(bobs, counted(["a"], 1))],
    "create with an act, and begun":      ["-          -         -        -       -        -", () => create(bobs, { ...begun(), ...counted(["a"], 1) })],
  },
  also: {
    //                                    signed-out anonymous stranger blocked follower author
    "list: everyone's":                   ["-          -         -        -       -        -", () => list(group("rates"))],
    "create: one's own":                  ["-          -         +        +       +        +", (me) => create(`users/${me}/rates/follows`, begun())],
    "create: of profiles, before there is one": ["- +        +        +       +        +", (me) => create(`users/${me}/rates/profiles`, begun())],
    "create: of profiles, while it is purged": ["-  -         +        +       +        +", (me) => ({ ...create(`users/${me}/rates/profiles`, begun()), there: purging(me) })],
    "create: of profiles, within an hour after": ["- -        +        +       +        +", (me) => ({ ...create(`users/${me}/rates/profiles`, begun()), there: purging(me, 2) })],
    "create: of profiles, an hour after":  ["-         +         +        +       +        +", (me) => ({ ...create(`users/${me}/rates/profiles`, begun()), there: purging(me, -1) })],
    "create: of a kind that there is not": ["-         -         -        -       -        -", (me) => create(`users/${me}/rates/shares`, begun())],

    "update: eight acts":                 ["-          -         -        -       +        -", () => acts(letters(8), 9)],
    "update: nine acts":                  ["-          -         -        -       -        -", () => acts(letters(9), 10)],
    "update: by an increment":            ["-          -         -        -       +        -", () => merge(bobs, counted(["a"], increment(1)))],
    "update: two acts as one":            ["-          -         -        -       -        -", () => acts(["a", "b"], 2)],
    "update: an act as none":             ["-          -         -        -       -        -", () => acts(["a"], 1)],
    "update: an act as two":              ["-          -         -        -       -        -", () => acts(["a"], 3)],
    "update: an act as less than none":   ["-          -         -        -       -        -", () => acts(["a"], -50)],
    "update: at a time of one's own":     ["-          -         -        -       -        -", () => acts(["a"], 2, { at: stamp })],
    "update: an act, and the start":      ["-          -         -        -       -        -", () => acts(["a"], 2, { start: serverTimestamp() })],
    "update: another field":              ["-          -         -        -       -        -", () => acts(["a"], 2, { text: "x" })],
    "update: an id of two lines":         ["-          -         -        -       -        -", () => acts(["a\nb"], 2)],
    "update: ids too long":               ["-          -         -        -       -        -", () => acts(["x".repeat(1032)], 2)],
    "update: ids as text":                ["-          -         -        -       -        -", () => acts("a", 2)],
    "update: the last act that there may be": ["-      -         -        -       +        -", () => after(1, 59, acts(["a"], 60))],
    "update: an act too many":            ["-          -         -        -       -        -", () => after(1, 60, acts(["a"], 61))],
    "update: an act too many, long after": ["-         -         -        -       -        -", () => after(600, 60, acts(["a"], 61))],

    "update: begin after an hour":        ["-          -         -        -       +        -", () => after(61, 60, set(bobs, begun()))],
    "update: begin too early":            ["-          -         -        -       -        -", () => after(59, 60, set(bobs, begun()))],
    "update: begin with a count":         ["-          -         -        -       -        -", () => after(61, 60, set(bobs, { ...begun(), n: 60 }))],
    "update: begin at a time of one's own": ["-        -         -        -       -        -", () => after(61, 60, set(bobs, { ...begun(), start: stamp }))],
    "update: begin with an act":          ["-          -         -        -       -        -", () => after(61, 60, set(bobs, { ...begun(), ...counted(["a"], 1) }))],
    "update: the count alone":            ["-          -         -        -       -        -", () => after(61, 60, update(bobs, { n: 0 }))],
    "update: the start alone":            ["-          -         -        -       -        -", () => after(61, 60, update(bobs, { start: serverTimestamp() }))],
  },
};
