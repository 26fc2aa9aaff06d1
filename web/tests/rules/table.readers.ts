// The settings of readers, the posts that they hide, and the times up to which they have read and have been notified.
// Only the reader sees these documents.
import { type Firestore, Timestamp, deleteField, documentId, limit, query, serverTimestamp, where } from "firebase/firestore";

import { all, batch, count, create, get, group, list, merge, remove, replace, request, set, update } from "./operations.ts";
import type { Rights } from "./row.ts";
import { type Fields, inMinutes, stamp, world } from "./world.ts";

const page = (path: string, n = 50) => (db: Firestore) => query(all(path)(db), limit(n));
const now = () => ({ createdAt: serverTimestamp() });

/** of returns the path of an account's settings. */
const of = (uid: string) => `users/${uid}/settings/feed`;
const [adas, bobs, carols, mods] = [of("ada"), of("bob"), of("carol"), of("mod")] as const;

/** whole returns settings with every field. */
const whole = () => ({ seenAt: serverTimestamp(), hide: ["ada/poll", "*/*"], show: ["bob/*", "*/photo"] });

/** mine writes the first settings of the account that tries the operation. */
const mine = (fields: Fields) => (me: string) => create(of(me), fields);

/** patterns returns n patterns, each of so many characters. */
const patterns = (n: number, letters = 8): string[] => Array.from({ length: n }, (_, i) => `*/${String(i).padStart(letters - 2, "x")}`);

export const settings: Rights = {
  document: "users/{userId}/settings/feed",
  rows: {
    //                                    signed-out anonymous stranger blocked follower author
    "get":                                ["-          -         -        -       +        -", () => get(bobs)],
    "list":                               ["-          -         -        -       -        -", () => list(page("users/bob/settings", 1))],
    "list unfiltered":                    ["-          -         -        -       -        -", () => list(all("users/bob/settings"))],
    "count":                              ["-          -         -        -       -        -", () => count(page("users/bob/settings", 1))],
    "create":                             ["-          -         -        -       +        -", () => create(bobs, whole())],
    "update":                             ["-          -         -        -       +        -", () => update(bobs, whole())],
    "delete":                             ["-          -         -        -       -        -", () => remove(bobs)],

    "create with a field that is not named": ["-       -         -        -       -        -", mine({ ...whole(), theme: "dark" })],
    "create with a field that is not named alone": ["- -         -        -       -        -", mine({ theme: "dark" })],
    "create with seenAt of one's own":    ["-          -         -        -       -        -", mine({ seenAt: stamp })],
    "create with seenAt in two minutes":  ["-          -         -        -       -        -", (me) => create(of(me), { seenAt: inMinutes(2) })],
    "create with seenAt as text":         ["-          -         -        -       -        -", mine({ seenAt: "2026-01-02T03:04:05Z" })],
    "create with no seenAt but null":     ["-          -         -        -       -        -", mine({ seenAt: null })],
    "create with readAt":                 ["-          -         -        -       -        -", mine({ readAt: stamp })],
    "create with 201 to hide":            ["-          -         -        -       -        -", mine({ hide: patterns(201) })],
    "create with 201 to show":            ["-          -         -        -       -        -", mine({ show: patterns(201) })],
    "create with 10,000 to hide":         ["-          -         -        -       -        -", mine({ hide: patterns(10_000) })],
    "create with 10,000 to show":         ["-          -         -        -       -        -", mine({ show: patterns(10_000) })],
    "create with a pattern too long":     ["-          -         -        -       -        -", mine({ hide: ["a/b", ...patterns(1, 301)] })],
    "create with patterns too long":      ["-          -         -        -       -        -", mine({ hide: patterns(200, 64) })],
    "create with patterns too long in bytes": ["-      -         -        -       -        -", mine({ hide: [...patterns(199, 63), `*/${"ä".repeat(31)}`] })],
    "create with a pattern of one word":  ["-          -         -        -       -        -", mine({ hide: ["a/b", "poll", "c/d"] })],
    "create with a pattern of no author": ["-          -         -        -       -        -", mine({ hide: ["/poll"] })],
    "create with an empty pattern":       ["-          -         -        -       -        -", mine({ hide: [""] })],
    "create with a pattern empty at the end": ["-      -         -        -       -        -", mine({ hide: ["a/b", ""] })],
    "create with a pattern of two lines": ["-          -         -        -       -        -", mine({ hide: ["a/b\nc/d"] })],
    "create with a pattern that ends with a line feed": ["- -    -        -       -        -", mine({ hide: ["a/b\n"] })],
    "create with a number to hide":       ["-          -         -        -       -        -", mine({ hide: [1] })],
    "create with numbers to hide":        ["-          -         -        -       -        -", mine({ hide: Array.from({ length: 10_000 }, (_, i) => i) })],
    "create with a null to hide":         ["-          -         -        -       -        -", mine({ hide: ["a/b", null] })],
    "create with a map to hide":          ["-          -         -        -       -        -", mine({ hide: [{ "a/b": "x".repeat(100_000) }] })],
    "create with a text in place of the list": ["-     -         -        -       -        -", mine({ hide: "a/b" })],
    "create with a map in place of the list": ["-      -         -        -       -        -", mine({ hide: { "a/b": true } })],
    "create with an empty map in place of the list": ["- -       -        -       -        -", mine({ hide: {} })],
    "create with no list but null":       ["-          -         -        -       -        -", mine({ show: null })],
    "create with a number to show":       ["-          -         -        -       -        -", mine({ show: [1] })],
    "create with a text to show":         ["-          -         -        -       -        -", mine({ show: "a/b" })],
  },
  also: {
    //                                    signed-out anonymous stranger blocked follower author moderator
    "get: one's own":                     ["-          +         +        +       +        +", (me) => get(of(me))],
    "list: one's own":                    ["-          -         -        -       -        -", (me) => list(page(`users/${me}/settings`, 1))],
    "list: by name":                      ["-          -         -        -       -        -", () => list((db) => query(all("users/bob/settings")(db), where(documentId(), "==", "other"), limit(1)))],
    "list: everyone's":                   ["-          -         -        -       -        -", () => list((db) => query(group("settings")(db), limit(50)))],
    "count: everyone's":                  ["-          -         -        -       -        -", () => count((db) => query(group("settings")(db), limit(50)))],
    "create: one's own":                  ["-          -         +        +       +        +", mine(whole())],
    "create: one's own, merging":         ["-          -         +        +       +        +", (me) => ({ ...merge(of(me), whole()), absent: true })],
    "create: of nothing":                 ["-          -         +        +       +        +", mine({})],
    "create: seenAt alone":               ["-          -         +        +       +        +", mine({ seenAt: serverTimestamp() })],
    "create: empty lists":                ["-          -         +        +       +        +", mine({ hide: [], show: [] })],
    "create: as large as it may be":      ["-          -         +        +       +        +", mine({ ...whole(), hide: patterns(200, 63), show: patterns(200, 63) })],
    "create: as large as it may be, in bytes": ["- -         +        +       +        +", mine({ hide: [...patterns(199, 63), `*/${"ä".repeat(30)}x`] })],
    "create: the longest pattern":        ["-          -         +        +       +        +", mine({ hide: patterns(1, 300) })],
    "create: kinds of any letters":       ["-          -         +        +       +        +", mine({ hide: ["ada/", "*/a/b", "*/ä 漢😀`\\", "__x__/*"] })],
    "create: of a group":                 ["-          -         -        -       -        -", () => create(of("g_team"), whole())],
    "create: another document":           ["-          -         -        -       -        -", (me) => create(`users/${me}/settings/other`, whole())],
    "create: below it":                   ["-          -         -        -       -        -", (me) => create(`${of(me)}/old/1`, whole())],

    "update: seen again":                 ["-          -         -        -       +        -", () => update(bobs, { seenAt: serverTimestamp() })],
    "update: seen an hour after":         ["-          -         -        -       -        -      +", () => update(mods, { seenAt: serverTimestamp() })],
    "update: a list, beside others by a server": ["-   -         -        -       -        -      +", () => update(mods, { show: ["a/b"] })],
    "update: a list by a server, removed": ["-         -         -        -       -        -      +", () => update(mods, { hide: deleteField() })],
    "update: seenAt and a bad list, beside others by a server": ["- - -        -       -        -      -", () => update(mods, { seenAt: serverTimestamp(), hide: [2] })],
    "update: seen before the hour is over": ["-        -         -        -       -        -", () => update(adas, { seenAt: serverTimestamp() })],
    "update: all of it before the hour is over": ["-   -         -        -       -        -", () => set(adas, whole())],
    "update: seen for the first time":    ["-          -         +        -       -        -      -", () => update(carols, { seenAt: serverTimestamp() })],
    "update: seen at a time of one's own": ["-         -         -        -       -        -", () => update(bobs, { seenAt: Timestamp.fromMillis(stamp.toMillis() + 3_600_000) })],
    "update: seen first at a time of one's own": ["-   -         -        -       -        -", () => update(carols, { seenAt: stamp })],
    "update: seen long ago":              ["-          -         -        -       -        -", () => update(adas, { seenAt: stamp })],
    "update: seenAt as text":             ["-          -         -        -       -        -", () => update(bobs, { seenAt: "2026-01-02T03:04:05Z" })],
    "update: seenAt removed":             ["-          -         -        -       -        -", () => update(bobs, { seenAt: deleteField() })],
    "update: seenAt removed before the hour is over": ["- -      -        -       -        -", () => update(adas, { seenAt: deleteField() })],
    "update: all but seenAt":             ["-          -         -        -       -        -", () => set(bobs, { hide: ["ada/poll"] })],
    "update: others, seenAt as it is":    ["-          -         -        -       -        +", () => update(adas, { hide: ["eve/*", "bob/poll"], show: [] })],
    "update: all of it, seenAt as it is": ["-          -         -        -       -        +", () => set(adas, { ...world[adas], show: ["bob/*"] })],
    "update: others, where nobody was seen": ["-       -         +        -       -        -      -", () => update(carols, { hide: ["bob/*"] })],
    "update: lists removed":              ["-          -         -        -       +        -", () => update(bobs, { hide: deleteField(), show: deleteField() })],
    "update: a list, beside readAt of earlier": ["-    -         -        -       +        -", () => update(bobs, { hide: ["ada/*"] })],
    "update: readAt, as it was written earlier": ["-   -         -        -       -        -", () => update(bobs, { readAt: inMinutes(0) })],
    "update: readAt of earlier, removed": ["-          -         -        -       -        -", () => update(bobs, { readAt: deleteField() })],
    "update: a field that is not named":  ["-          -         -        -       -        -", () => update(bobs, { theme: "dark" })],
    "update: 201 to hide":                ["-          -         -        -       -        -", () => update(bobs, { hide: patterns(201) })],
    "update: 10,000 to hide":             ["-          -         -        -       -        -", () => update(bobs, { hide: patterns(10_000) })],
    "update: a number to show":           ["-          -         -        -       -        -", () => update(bobs, { show: [1] })],
    "update: as large as it may be":      ["-          -         -        -       +        -", () => update(bobs, { ...whole(), hide: patterns(200, 63), show: patterns(200, 63) })],

    "delete: one that is not there":      ["-          -         -        -       -        -", () => remove(of("eve"))],
    "delete: one's own":                  ["-          -         -        -       -        -", (me) => remove(of(me))],
    "delete and create at once":          ["-          -         -        -       -        -", () => replace(adas, whole())],
    "delete, with the profile":           ["-          -         -        -       -        -", (me) => batch({ [`users/${me}`]: null, [of(me)]: null })],
  },
};

/** readOf returns the path of the time up to which an account has read. */
const readOf = (uid: string) => `users/${uid}/settings/read`;
const [bobsRead, modsRead] = [readOf("bob"), readOf("mod")] as const;

/** reads writes for the first time up to when the account that tries the operation has read. */
const reads = (fields: Fields) => (me: string) => create(readOf(me), fields);

export const read: Rights = {
  document: "users/{userId}/settings/read",
  rows: {
    //                                    signed-out anonymous stranger blocked follower author
    "get":                                ["-          -         -        -       +        -", () => get(bobsRead)],
    "list":                               ["-          -         -        -       -        -", () => list(page("users/bob/settings", 1))],
    "list unfiltered":                    ["-          -         -        -       -        -", () => list(all("users/bob/settings"))],
    "count":                              ["-          -         -        -       -        -", () => count(page("users/bob/settings", 1))],
    "create":                             ["-          -         -        -       +        -", () => create(bobsRead, { readAt: stamp })],
    "update":                             ["-          -         -        -       +        -", () => update(bobsRead, { readAt: inMinutes(0) })],
    "delete":                             ["-          -         -        -       +        -", () => remove(bobsRead)],

    "create with readAt in ten minutes":  ["-          -         -        -       -        -", (me) => create(readOf(me), { readAt: inMinutes(10) })],
    "create with readAt in the year 9999": ["-         -         -        -       -        -", reads({ readAt: Timestamp.fromDate(new Date("9999-12-31T00:00:00Z")) })],
    "create with readAt as a number":     ["-          -         -        -       -        -", reads({ readAt: stamp.toMillis() })],
    "create with readAt as text":         ["-          -         -        -       -        -", reads({ readAt: "2026-01-02T03:04:05Z" })],
    "create with no readAt but null":     ["-          -         -        -       -        -", reads({ readAt: null })],
    "create with notifiedAt in ten minutes": ["-       -         -        -       -        -", (me) => create(readOf(me), { readAt: stamp, notifiedAt: inMinutes(10) })],
    "create with notifiedAt as a number": ["-          -         -        -       -        -", reads({ notifiedAt: stamp.toMillis() })],
    "create with no notifiedAt but null": ["-          -         -        -       -        -", reads({ readAt: stamp, notifiedAt: null })],
    "create with notifiedAt, and readAt in ten minutes": ["- - -     -       -        -", (me) => create(readOf(me), { readAt: inMinutes(10), notifiedAt: stamp })],
    "create with nothing":                ["-          -         -        -       -        -", reads({})],
    "create with another field":          ["-          -         -        -       -        -", reads({ readAt: stamp, post: "hello" })],
    "create with another field alone":    ["-          -         -        -       -        -", reads({ post: "hello" })],
    "create with a field of settings":    ["-          -         -        -       -        -", reads({ readAt: stamp, hide: [] })],
  },
  also: {
    //                                    signed-out anonymous stranger blocked follower author moderator
    "get: one's own":                     ["-          +         +        +       +        +", (me) => get(readOf(me))],
    "list: by name":                      ["-          -         -        -       -        -", () => list((db) => query(all("users/bob/settings")(db), where(documentId(), "==", "read"), limit(1)))],
    "create: one's own":                  ["-          -         +        +       +        +", reads({ readAt: stamp })],
    "create: one's own, merging":         ["-          -         +        +       +        +", (me) => ({ ...merge(readOf(me), { readAt: stamp }), absent: true })],
    "create: notifiedAt alone":           ["-          -         +        +       +        +", reads({ notifiedAt: stamp })],
    "create: both":                       ["-          -         +        +       +        +", reads({ readAt: stamp, notifiedAt: stamp })],
    "create: by a clock that is fast":    ["-          -         +        +       +        +", (me) => create(readOf(me), { readAt: inMinutes(2), notifiedAt: inMinutes(2) })],
    "create: of a group":                 ["-          -         -        -       -        -", () => create(readOf("g_team"), { readAt: stamp })],
    "create: below it":                   ["-          -         -        -       -        -", (me) => create(`${readOf(me)}/old/1`, { readAt: stamp })],
    "update: all of it":                  ["-          -         -        -       +        -", () => set(bobsRead, { readAt: inMinutes(0) })],
    "update: readAt in ten minutes":      ["-          -         -        -       -        -", () => update(bobsRead, { readAt: inMinutes(10) })],
    "update: notifiedAt":                 ["-          -         -        -       +        -", () => update(bobsRead, { notifiedAt: inMinutes(0) })],
    "update: notifiedAt in ten minutes":  ["-          -         -        -       -        -", () => update(bobsRead, { notifiedAt: inMinutes(10) })],
    "update: notifiedAt in place of readAt": ["-       -         -        -       -        -", () => set(bobsRead, { notifiedAt: stamp })],
    "update: notifiedAt, beside a text by a server": ["- -       -        -       -        -      -", () => update(modsRead, { notifiedAt: stamp })],
    "update: readAt as it is":            ["-          -         -        -       +        -", () => update(bobsRead, { readAt: stamp })],
    "update: notifiedAt moved back":      ["-          -         -        -       -        -", () => ({ ...update(bobsRead, { notifiedAt: stamp }), there: { [bobsRead]: { notifiedAt: inMinutes(-1) } } })],
    "update: readAt moved back":          ["-          -         -        -       -        -", () => update(bobsRead, { readAt: Timestamp.fromMillis(0) })],
    "update: readAt removed":             ["-          -         -        -       -        -", () => update(bobsRead, { readAt: deleteField() })],
    "update: another field":              ["-          -         -        -       -        -", () => merge(bobsRead, { post: "hello" })],
    "update: over a text by a server":    ["-          -         -        -       -        -      +", () => update(modsRead, { readAt: stamp })],
    "delete: one's own":                  ["-          +         +        +       +        +", (me) => remove(readOf(me))],
    "delete, with the profile":           ["-          +         +        +       +        +", (me) => batch({ [`users/${me}`]: null, [readOf(me)]: null })],
  },
};

const hides = "users/bob/hidden";
const hello = `${hides}/hello`;

export const hidden: Rights = {
  document: "users/{userId}/hidden/{postId}",
  rows: {
    //                                    signed-out anonymous stranger blocked follower author
    "get":                                ["-          -         -        -       +        -", () => get(hello)],
    "list":                               ["-          -         -        -       +        -", () => list(page(hides, 1))],
    "list unfiltered":                    ["-          -         -        -       -        -", () => list(all(hides))],
    "count":                              ["-          -         -        -       +        -", () => count(page(hides))],
    "create":                             ["-          -         -        -       +        -", () => create(hello, now())],
    "update":                             ["-          -         -        -       -        -", () => update(hello, now())],
    "delete":                             ["-          -         -        -       +        -", () => remove(hello)],

    "create with another field":          ["-          -         -        -       -        -", (me) => create(`users/${me}/hidden/hello`, { ...now(), why: "rude" })],
    "create with another field alone":    ["-          -         -        -       -        -", (me) => create(`users/${me}/hidden/hello`, { time: serverTimestamp() })],
    "create with nothing":                ["-          -         -        -       -        -", (me) => create(`users/${me}/hidden/hello`, {})],
    "create with a time of one's own":    ["-          -         -        -       -        -", (me) => create(`users/${me}/hidden/hello`, { createdAt: stamp })],
    "create with a time in two minutes":  ["-          -         -        -       -        -", (me) => create(`users/${me}/hidden/hello`, { createdAt: inMinutes(2) })],
  },
  also: {
    //                                    signed-out anonymous stranger blocked follower author
    "get: whether one hides a post":      ["-          +         +        +       +        +", (me) => get(`users/${me}/hidden/hello`)],
    "list: one's own":                    ["-          +         +        +       +        +", (me) => list(page(`users/${me}/hidden`))],
    "list: 51 at a time":                 ["-          -         -        -       -        -", () => list(page(hides, 51))],
    "list: by request, with an offset":   ["-          -         -        -       -        -", () => request({ path: hides, limit: 50, offset: 1 })],
    "list: by page":                      ["-          -         -        -       +        -", () => request({ path: hides, pageSize: 50 })],
    "list: by page, 51 at a time":        ["-          -         -        -       -        -", () => request({ path: hides, pageSize: 51 })],
    "list: everyone's":                   ["-          -         -        -       -        -", () => list((db) => query(group("hidden")(db), limit(50)))],
    "count: without a limit":             ["-          -         -        -       -        -", () => count(all(hides))],
    "count: everyone's":                  ["-          -         -        -       -        -", () => count((db) => query(group("hidden")(db), limit(50)))],
    "create: one's own":                  ["-          -         +        +       +        +", (me) => create(`users/${me}/hidden/hello`, now())],
    "create: of a post that is gone":     ["-          -         +        +       +        +", (me) => create(`users/${me}/hidden/gone`, now())],
    "create: of a group":                 ["-          -         -        -       -        -", () => create("users/g_team/hidden/hello", now())],
    "create: of the longest id":          ["-          -         +        +       +        +", (me) => create(`users/${me}/hidden/${"x".repeat(128)}`, now())],
    "create: of an id too long":          ["-          -         -        -       -        -", (me) => create(`users/${me}/hidden/${"x".repeat(129)}`, now())],
    "create: of an id with a control":    ["-          -         -        -       -        -", (me) => create(`users/${me}/hidden/x\ny`, now())],
    "create: of a reserved id":           ["-          -         -        -       -        -", (me) => create(`users/${me}/hidden/__id5__`, now())],
    "update: hiding again":               ["-          -         -        -       -        -", () => set(hello, now())],
    "update: another field":              ["-          -         -        -       -        -", () => merge(hello, { why: "rude" })],
    "delete: one's own":                  ["-          +         +        +       +        +", (me) => remove(`users/${me}/hidden/hello`)],
  },
};
