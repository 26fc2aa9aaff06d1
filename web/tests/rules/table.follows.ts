// The documents of a follow: the follow itself, a block, the edge, and the follower arrays.
import { type Firestore, Timestamp, arrayRemove, arrayUnion, limit, query, serverTimestamp } from "firebase/firestore";

import { all, batch, count, create, get, group, list, merge, remove, request, set, update } from "./operations.ts";
import type { Rights } from "./row.ts";
import { acceptance } from "./table.requests.ts";
import { stamp } from "./world.ts";

const now = () => ({ createdAt: serverTimestamp() });
const page = (path: string) => (db: Firestore) => query(all(path)(db), limit(50));
const first = (path: string) => list((db) => query(all(path)(db), limit(1)));

/** longest returns an id of so many letters. A client may use at most 128. */
const longest = (letters: number) => "x".repeat(letters);

const followers = "users/ada/followers";
const bobs = `${followers}/bob`;
const members = "users/g_team/followers";

export const follow: Rights = {
  document: "users/{userId}/followers/{followerId}",
  rows: {
    //                                    signed-out anonymous stranger blocked follower author
    "get":                                ["-          -         -        -       +        +", () => get(bobs)],
    "list":                               ["-          -         -        -       -        +", () => first(followers)],
    "list unfiltered":                    ["-          -         -        -       -        +", () => list(all(followers))],
    "count":                              ["-          -         -        -       -        +", () => count(all(followers))],
    "create":                             ["-          -         +        -       +        -", (me) => create(`${followers}/${me}`, now())],
    "update":                             ["-          -         -        -       -        -", () => update(bobs, now())],
    "delete":                             ["-          -         -        -       +        +", () => remove(bobs)],

    "create with another field":          ["-          -         -        -       -        -", (me) => create(`${followers}/${me}`, { ...now(), note: "hi" })],
    "create with another field alone":    ["-          -         -        -       -        -", (me) => create(`${followers}/${me}`, { time: serverTimestamp() })],
    "create with nothing":                ["-          -         -        -       -        -", (me) => create(`${followers}/${me}`, {})],
    "create with a time of one's own":    ["-          -         -        -       -        -", (me) => create(`${followers}/${me}`, { createdAt: stamp })],
    "create with a time far in the future": ["-        -         -        -       -        -", (me) => create(`${followers}/${me}`, { createdAt: new Timestamp(253_000_000_000, 0) })],
    "create with no time":                ["-          -         -        -       -        -", (me) => create(`${followers}/${me}`, { createdAt: null })],
  },
  also: {
    //                                    signed-out anonymous stranger blocked follower author
    "get: whether one follows":           ["-          +         +        +       +        +", (me) => get(`${followers}/${me}`)],
    "list: everyone's":                   ["-          -         -        -       -        -", () => list(group("followers"))],
    "count: everyone's":                  ["-          -         -        -       -        -", () => count(group("followers"))],
    "create: with one's profile":         ["-          +         +        +       -        +", (me) => ({ ...batch({ [`users/${me}`]: { name: "New" }, [`users/bob/followers/${me}`]: now() }), absent: true })],
    "create: as one's profile goes":      ["-          -         -        -       -        -", (me) => batch({ [`users/bob/followers/${me}`]: now(), [`users/${me}`]: null })],
    "create: with a profile of no name":  ["-          -         -        -       -        -", (me) => ({ ...create(`users/cleo/followers/${me}`, now()), there: { [`users/${me}`]: { counts: {} }, "users/cleo": { name: "Cleo" } } })],
    "create: of one whom one blocks":     ["-          -         -        -       -        -", (me) => ({ ...create(`users/bob/followers/${me}`, now()), there: { [`users/${me}/blocked/bob`]: { createdAt: stamp } } })],
    "create: beside one's request":       ["-          -         -        -       -        -", (me) => ({ ...create(`${followers}/${me}`, now()), there: { [`users/ada/requests/${me}`]: { followerId: me, createdAt: stamp } } })],
    "create: that ends one's request":    ["-          -         +        -       +        -", (me) => ({ ...batch({ [`${followers}/${me}`]: now(), [`users/ada/requests/${me}`]: null }), absent: true, there: { [`users/ada/requests/${me}`]: { followerId: me, createdAt: stamp } } })],
    "create: in bob's name":              ["-          -         -        -       +        -", () => create(bobs, now())],
    "create: back":                       ["-          -         +        +       -        +", (me) => create(`users/bob/followers/${me}`, now())],
    "create: of oneself":                 ["-          -         -        -       -        -", (me) => create(`users/${me}/followers/${me}`, now())],
    "list: by request, with an offset":   ["-          -         -        -       -        +", () => request({ path: followers, limit: 100, offset: 1 })],
    "count: by request":                  ["-          -         -        -       -        +", () => request({ path: followers, aggregate: { count: {} } })],
    "create: of an id that nobody has":   ["-          -         -        -       -        -", (me) => create(`users/nobody-at-all/followers/${me}`, now())],
    "create: of an empty user document":  ["-          -         -        -       -        -", (me) => create(`users/empty/followers/${me}`, now())],
    "create: of one without a profile":   ["-          -         -        -       -        -", (me) => create(`users/imported/followers/${me}`, now())],
    "create: of the longest id":          ["-          -         +        +       +        +", (me) => create(`users/${longest(128)}/followers/${me}`, now())],
    "create: of an id too long":          ["-          -         -        -       -        -", (me) => create(`users/${longest(129)}/followers/${me}`, now())],
    "create: of an id with a control":    ["-          -         -        -       -        -", (me) => create(`users/x\ny/followers/${me}`, now())],
    "create: of a reserved id":           ["-          -         -        -       -        -", (me) => create(`users/__id5__/followers/${me}`, now())],
    "update: following again":            ["-          -         -        -       -        -", () => set(bobs, now())],
    "update: another field":              ["-          -         -        -       -        -", () => merge(bobs, { note: "hi" })],
    "delete: one's own":                  ["-          +         +        +       +        +", (me) => remove(`${followers}/${me}`)],

    "get: of a group":                    ["-          -         -        -       +        +", () => get(`${members}/bob`)],
    "list: of a group":                   ["-          -         -        -       -        +", () => list(all(members))],
    "count: of a group":                  ["-          -         -        -       -        +", () => count(all(members))],
    "create: of a group":                 ["-          -         +        -       +        +", (me) => create(`${members}/${me}`, now())],
    "create: of a group, for another":    ["-          -         -        -       -        -", () => create(`${members}/eve`, now())],
    "create: of a deleted group":         ["-          -         -        -       -        -", (me) => create(`users/g_gone/followers/${me}`, now())],
    "delete: of a group":                 ["-          -         -        -       +        +", () => remove(`${members}/bob`)],
    "list: of one who has an owner":      ["-          -         -        -       -        -", () => list(all("users/managed/followers"))],
    "list: of a group that a group owns": ["-          -         -        -       -        -", () => list(all("users/g_taken/followers"))],
    "list: of a group without an owner":  ["-          -         -        -       -        -", () => list(all("users/g_orphan/followers"))],
    ...acceptance,
  },
};

const blocks = "users/ada/blocked";
const dans = `${blocks}/dan`;

export const block: Rights = {
  document: "users/{userId}/blocked/{followerId}",
  rows: {
    //                                    signed-out anonymous stranger blocked follower author
    "get":                                ["-          -         -        -       -        +", () => get(dans)],
    "list":                               ["-          -         -        -       -        +", () => first(blocks)],
    "list unfiltered":                    ["-          -         -        -       -        -", () => list(all(blocks))],
    "count":                              ["-          -         -        -       -        +", () => count(page(blocks))],
    "create":                             ["-          -         -        -       -        +", () => create(dans, now())],
    "update":                             ["-          -         -        -       -        -", () => update(dans, now())],
    "delete":                             ["-          -         -        -       -        +", () => remove(dans)],

    "create with another field":          ["-          -         -        -       -        -", () => create(dans, { ...now(), why: "rude" })],
    "create with nothing":                ["-          -         -        -       -        -", () => create(dans, {})],
    "create with a time of one's own":    ["-          -         -        -       -        -", () => create(dans, { createdAt: stamp })],
  },
  also: {
    //                                    signed-out anonymous stranger blocked follower author
    "get: whether ada blocks one":        ["-          -         -        -       -        +", (me) => get(`${blocks}/${me}`)],
    "list: everyone's":                   ["-          -         -        -       -        -", () => list(group("blocked"))],
    "list: 50 at a time":                 ["-          -         -        -       -        +", () => list(page(blocks))],
    "list: 51 at a time":                 ["-          -         -        -       -        -", () => list((db) => query(all(blocks)(db), limit(51)))],
    "list: by request, with an offset":   ["-          -         -        -       -        -", () => request({ path: blocks, limit: 50, offset: 1 })],
    "count: without a limit":             ["-          -         -        -       -        -", () => count(all(blocks))],
    "count: by request, with an offset":  ["-          -         -        -       -        -", () => request({ path: blocks, limit: 50, offset: 1, aggregate: { count: {} } })],
    "create: of one who does not follow": ["-          -         +        +       +        +", (me) => create(`users/${me}/blocked/eve`, now())],
    "create: of oneself":                 ["-          -         -        -       -        -", (me) => create(`users/${me}/blocked/${me}`, now())],
    "create: of the longest id":          ["-          -         +        +       +        +", (me) => create(`users/${me}/blocked/${longest(128)}`, now())],
    "create: of an id too long":          ["-          -         -        -       -        -", (me) => create(`users/${me}/blocked/${longest(129)}`, now())],
    "create: of an id with a control":    ["-          -         -        -       -        -", (me) => create(`users/${me}/blocked/x\ny`, now())],
    "create: of a reserved id":           ["-          -         -        -       -        -", (me) => create(`users/${me}/blocked/__id5__`, now())],
    "update: blocking again":             ["-          -         -        -       -        -", () => set(dans, now())],
    "update: another field":              ["-          -         -        -       -        -", () => merge(dans, { why: "rude" })],
    "delete: one's own":                  ["-          +         +        +       +        +", (me) => remove(`users/${me}/blocked/eve`)],
    "get: of a group":                    ["-          -         -        -       -        +", () => get("users/g_team/blocked/dan")],
    "list: of a group":                   ["-          -         -        -       -        +", () => list(page("users/g_team/blocked"))],
    "create: of a group":                 ["-          -         -        -       -        +", () => create("users/g_team/blocked/eve", now())],
    "delete: of a group":                 ["-          -         -        -       -        +", () => remove("users/g_team/blocked/dan")],
  },
};

const following = "users/bob/following";
const adas = `${following}/ada`;

export const edge: Rights = {
  document: "users/{userId}/following/{authorId}",
  rows: {
    //                                    signed-out anonymous stranger blocked follower author
    "get":                                ["-          -         -        -       +        -", () => get(adas)],
    "list":                               ["-          -         -        -       +        -", () => first(following)],
    "list unfiltered":                    ["-          -         -        -       +        -", () => list(all(following))],
    "count":                              ["-          -         -        -       +        -", () => count(all(following))],
    "create":                             ["-          -         -        -       -        -", () => create(`${following}/carol`, { indexId: "00001", createdAt: stamp })],
    "update":                             ["-          -         -        -       -        -", () => update(adas, { indexId: "00002" })],
    "delete":                             ["-          -         -        -       -        -", () => remove(adas)],

    "create with a follow's fields":      ["-          -         -        -       -        -", () => create(`${following}/carol`, now())],
  },
  also: {
    //                                    signed-out anonymous stranger blocked follower author
    "get: of one not followed":           ["-          -         -        -       +        -", () => get(`${following}/carol`)],
    "list: one's own":                    ["-          +         +        +       +        +", (me) => list(all(`users/${me}/following`))],
    "count: one's own":                   ["-          +         +        +       +        +", (me) => count(all(`users/${me}/following`))],
    "list: by request, with an offset":   ["-          -         -        -       +        -", () => request({ path: following, limit: 100, offset: 1 })],
    "list: everyone's":                   ["-          -         -        -       -        -", () => list(group("following"))],
  },
};

const indexes = "users/ada/followers_index";
const index = `${indexes}/00001`;

export const indexDocument: Rights = {
  document: "users/{userId}/followers_index/{indexId}",
  rows: {
    //                                    signed-out anonymous stranger blocked follower author
    "get":                                ["-          -         -        -       -        -", () => get(index)],
    "list":                               ["-          -         -        -       -        -", () => first(indexes)],
    "list unfiltered":                    ["-          -         -        -       -        -", () => list(all(indexes))],
    "count":                              ["-          -         -        -       -        -", () => count(all(indexes))],
    "create":                             ["-          -         -        -       -        -", (me) => create(`${indexes}/00002`, { followers: [me] })],
    "update":                             ["-          -         -        -       -        -", (me) => update(index, { followers: arrayUnion(me) })],
    "delete":                             ["-          -         -        -       -        -", () => remove(index)],

    "create with nothing":                ["-          -         -        -       -        -", () => create(`${indexes}/00002`, {})],
  },
  also: {
    "list: everyone's":                   ["-          -         -        -       -        -", () => list(group("followers_index"))],
    "create: one's own":                  ["-          -         -        -       -        -", (me) => create(`users/${me}/followers_index/00001`, { followers: [] })],
    "update: without oneself":            ["-          -         -        -       -        -", (me) => update(index, { followers: arrayRemove(me) })],
  },
};
