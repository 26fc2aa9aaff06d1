// Groups and their tombstones. Nobody signs in as a group.
import { deleteField, limit, query, where } from "firebase/firestore";

import { all, batch, count, create, get, group as everywhere, list, remove, replace, set, update } from "./operations.ts";
import type { Rights } from "./row.ts";
import { world } from "./world.ts";

const team = "users/g_team";
const stored = world[team]!;
const fresh = "users/g_new";
const owned = (ownerId: string) => ({ name: "New", ownerId });

/** dissolve deletes a group in one batch. */
const dissolve = (id: string) => batch({ [`users/${id}`]: null, [`_tombstones/${id}`]: {} });

export const group: Rights = {
  document: "users/{userId}, a group",
  rows: {
    //                                    signed-out anonymous stranger blocked follower author
    "get":                                ["-          +         +        +       +        +", () => get(team)],
    "list":                               ["-          +         +        +       +        +", () => list((db) => query(all("users")(db), where("ownerId", "==", "ada"), limit(50)))],
    "list unfiltered":                    ["-          -         -        -       -        -", () => list((db) => query(all("users")(db), where("ownerId", "==", "ada")))],
    "count":                              ["-          +         +        +       +        +", () => count((db) => query(all("users")(db), where("ownerId", "==", "ada"), limit(50)))],
    "create":                             ["-          -         +        +       +        +", (me) => create(fresh, owned(me))],
    "update":                             ["-          -         -        -       -        +", () => update(team, { name: "New" })],
    "delete":                             ["-          -         -        -       -        +", () => dissolve("g_team")],

    "create with another owner":          ["-          -         -        -       -        -", () => create(fresh, owned("eve"))],
    "create with no owner":               ["-          -         -        -       -        -", () => create(fresh, { name: "New" })],
    "create with no name":                ["-          -         -        -       -        -", (me) => create(fresh, { ownerId: me })],
    "create with a name too long":        ["-          -         -        -       -        -", (me) => create(fresh, { ...owned(me), name: "x".repeat(101) })],
    "create with a name turned around":   ["-          -         -        -       -        -", (me) => create(fresh, { ...owned(me), name: "\u202emaeT" })],
    "create with closed as text":         ["-          -         -        -       -        -", (me) => create(fresh, { ...owned(me), closed: "yes" })],
    "create with a post that is unknown": ["-          -         -        -       -        -", (me) => create(fresh, { ...owned(me), post: "everyone" })],
    "create with a field that is not named": ["-       -         -        -       -        -", (me) => create(fresh, { ...owned(me), city: "Oslo" })],
    "create with followers_index":        ["-          -         -        -       -        -", (me) => create(fresh, { ...owned(me), followers_index: [] })],
    "create with counts":                 ["-          -         -        -       -        -", (me) => create(fresh, { ...owned(me), counts: {} })],
    "create with an id too long":         ["-          -         -        -       -        -", (me) => create(`users/g_${"x".repeat(41)}`, owned(me))],
    "create with no id but g_":           ["-          -         -        -       -        -", (me) => create("users/g_", owned(me))],
    "create with a dot in the id":        ["-          -         -        -       -        -", (me) => create("users/g_a.b", owned(me))],
    "create with a line feed after the id": ["-        -         -        -       -        -", (me) => create("users/g_a\n", owned(me))],
    "create with an id that is no group's": ["-        -         -        -       -        -", (me) => create("users/team", owned(me))],
  },
  also: {
    //                                    signed-out anonymous stranger blocked follower author
    "create: as large as it may be":      ["-          -         +        +       +        +", (me) => create(`users/g_${"x".repeat(40)}`, { ownerId: me, name: "é".repeat(100), nameLower: "x".repeat(300), bio: "x".repeat(1000), photoURL: "x".repeat(2000), closed: true, post: "anyone" })],
    "create: posts of members":           ["-          -         +        +       +        +", (me) => create(fresh, { ...owned(me), post: "members" })],
    "create: the id of a deleted group":  ["-          -         -        -       -        -", (me) => create("users/g_gone", owned(me))],
    "create: over a new tombstone":       ["-          -         -        -       -        -", (me) => batch({ "_tombstones/g_new": {}, [fresh]: owned(me) })],
    "update: closed":                     ["-          -         -        -       -        +", () => update(team, { closed: true })],
    "update: post":                       ["-          -         -        -       -        +", () => update(team, { post: "anyone" })],
    "update: post that is unknown":       ["-          -         -        -       -        -", () => update(team, { post: "nobody" })],
    "update: all of it":                  ["-          -         -        -       -        +", () => set(team, { ...stored, name: "New" })],
    "update: a field that is not named":  ["-          -         -        -       -        -", () => update(team, { city: "Oslo" })],
    "update: name removed":               ["-          -         -        -       -        -", () => update(team, { name: deleteField() })],
    "update: owner becomes bob":          ["-          -         -        -       -        -", () => update(team, { ownerId: "bob" })],
    "update: owner becomes oneself":      ["-          -         -        -       -        +", (me) => update(team, { ownerId: me })],
    "update: owner removed":              ["-          -         -        -       -        -", () => update(team, { ownerId: deleteField() })],
    "update: one without an owner, taken": ["-         -         -        -       -        -", (me) => update("users/g_orphan", { ownerId: me })],
    "update: of another owner":           ["-          -         -        -       -        -", () => update("users/g_eves", { name: "New" })],
    "update: counts":                     ["-          -         -        -       -        -", () => update(team, { "counts.followers": 1_000_000 })],
    "update: all but counts":             ["-          -         -        -       -        -", () => set(team, { name: "New", ownerId: "ada", closed: false, post: "members" })],
    "update: followers_index":            ["-          -         -        -       -        -", () => update(team, { followers_index: ["00001"] })],
    "delete: without a tombstone":        ["-          -         -        -       -        -", () => remove(team)],
    "delete: with another's tombstone":   ["-          -         -        -       -        -", () => batch({ [team]: null, "_tombstones/g_wall": {} })],
    "delete: two at once":                ["-          -         -        -       -        +", () => batch({ [team]: null, "users/g_wall": null, "_tombstones/g_team": {}, "_tombstones/g_wall": {} })],
    "delete: one of another owner":       ["-          -         -        -       -        -", () => dissolve("g_eves")],
    "delete: one of another owner, with a tombstone": ["- -      -        -       -        -", () => remove("users/g_back")],
    "delete: one without an owner":       ["-          -         -        -       -        -", () => dissolve("g_orphan")],
    "delete and create at once":          ["-          -         -        -       -        -", (me) => replace(team, owned(me === "ada" ? "eve" : me))],
    "delete and create at once, with a tombstone": ["- -         -        -       -        -", (me) => batch({ "_tombstones/g_team": {}, [team]: owned(me) })],
  },
};

const tombstones = "_tombstones";
const grave = `${tombstones}/g_gone`;

export const tombstone: Rights = {
  document: "_tombstones/{groupId}",
  rows: {
    //                                    signed-out anonymous stranger blocked follower author
    "get":                                ["-          -         -        -       -        -", () => get(grave)],
    "list":                               ["-          -         -        -       -        -", () => list((db) => query(all(tombstones)(db), limit(1)))],
    "list unfiltered":                    ["-          -         -        -       -        -", () => list(all(tombstones))],
    "count":                              ["-          -         -        -       -        -", () => count(all(tombstones))],
    "create":                             ["-          -         -        -       -        +", () => dissolve("g_team")],
    "update":                             ["-          -         -        -       -        -", () => set(grave, {})],
    "delete":                             ["-          -         -        -       -        -", () => remove(grave)],

    "create with a field":                ["-          -         -        -       -        -", () => batch({ [team]: null, [`${tombstones}/g_team`]: { why: "old" } })],
  },
  also: {
    "list: everywhere":                   ["-          -         -        -       -        -", () => list(everywhere(tombstones))],
    "create: of a group that stays":      ["-          -         -        -       -        -", () => create(`${tombstones}/g_team`, {})],
    "create: of an id that nobody has":   ["-          -         -        -       -        -", () => create(`${tombstones}/g_new`, {})],
    "create: of a person":                ["-          -         -        -       -        -", (me) => batch({ [`users/${me}`]: null, [`${tombstones}/${me}`]: {} })],
    "create: of a person's name":         ["-          -         -        -       -        -", () => create(`${tombstones}/n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg`, {})],
  },
};
