// Requests to follow a closed account, and how they are accepted, declined or withdrawn.
import { limit, query, serverTimestamp } from "firebase/firestore";

import { all, batch, count, create, get, group, list, remove, request as send, update } from "./operations.ts";
import type { Rights, Row } from "./row.ts";
import { stamp } from "./world.ts";

const now = () => ({ createdAt: serverTimestamp() });

/** asked returns a follower's request. */
const asked = (followerId: string) => ({ followerId, ...now() });

const requests = "users/g_club/requests";
const carols = `${requests}/carol`;
const page = (path: string, size: number) => (db: Parameters<ReturnType<typeof all>>[0]) => query(all(path)(db), limit(size));

export const request: Rights = {
  document: "users/{userId}/requests/{followerId}",
  rows: {
    //                                    signed-out anonymous stranger blocked follower author moderator
    "get":                                ["-          -         +        -       -        +      -", () => get(carols)],
    "list":                               ["-          -         -        -       -        +", () => list(page(requests, 20))],
    "list unfiltered":                    ["-          -         -        -       -        -", () => list(all(requests))],
    "count":                              ["-          -         -        -       -        +", () => count(page(requests, 50))],
    // Cleo is closed: carol is a stranger to her, ada too; dan is blocked and bob follows.
    "create":                             ["-          -         +        -       -        +", (me) => create(`users/cleo/requests/${me}`, asked(me))],
    "update":                             ["-          -         -        -       -        -", () => update(carols, now())],
    "delete":                             ["-          -         +        -       -        +      -", () => remove(carols)],

    "create with another field":          ["-          -         -        -       -        -", (me) => create(`users/cleo/requests/${me}`, { ...asked(me), text: "please" })],
    "create with nothing":                ["-          -         -        -       -        -", (me) => create(`users/cleo/requests/${me}`, {})],
    "create with the time alone":         ["-          -         -        -       -        -", (me) => create(`users/cleo/requests/${me}`, now())],
    "create with another's id":           ["-          -         -        -       -        -", (me) => create(`users/cleo/requests/${me}`, asked("eve"))],
    "create with a time of one's own":    ["-          -         -        -       -        -", (me) => create(`users/cleo/requests/${me}`, { followerId: me, createdAt: stamp })],
  },
  also: {
    //                                    signed-out anonymous stranger blocked follower author moderator
    "get: whether one has asked":         ["-          +         +        +       +        +", (me) => get(`${requests}/${me}`)],
    "get: of a person":                   ["-          -         -        -       -        +", () => get("users/ada/requests/eve")],
    "list: of a person":                  ["-          -         -        -       -        +", () => list(page("users/ada/requests", 50))],
    "list: 51 at a time":                 ["-          -         -        -       -        -", () => list(page(requests, 51))],
    "list: everyone's":                   ["-          -         -        -       -        -", () => list(group("requests"))],
    "list: by request, with an offset":   ["-          -         -        -       -        -", () => send({ path: requests, limit: 50, offset: 1 })],
    "count: without a limit":             ["-          -         -        -       -        -", () => count(all(requests))],
    "create: in carol's name":            ["-          -         +        -       -        -      -", () => create("users/cleo/requests/carol", asked("carol"))],
    "create: of a closed group":          ["-          -         +        -       -        +", (me) => create(`${requests}/${me}`, asked(me))],
    "create: of one whom one blocks":     ["-          -         -        -       -        -", (me) => ({ ...create(`users/cleo/requests/${me}`, asked(me)), there: { [`users/${me}/blocked/cleo`]: { createdAt: stamp } } })],
    "create: of an open account":         ["-          -         -        -       -        -", (me) => create(`users/bob/requests/${me}`, asked(me))],
    "create: of an open group":           ["-          -         -        -       -        -", (me) => create(`users/g_wall/requests/${me}`, asked(me))],
    "create: of an account that is gone": ["-          -         -        -       -        -", (me) => create(`users/g_gone/requests/${me}`, asked(me))],
    "create: of oneself":                 ["-          -         -        -       -        -", (me) => create(`users/${me}/requests/${me}`, asked(me))],
    "create: of the longest id":          ["-          -         +        +       +        +", (me) => create(`users/${"y".repeat(128)}/requests/${me}`, asked(me))],
    "create: of an id too long":          ["-          -         -        -       -        -", (me) => create(`users/${"y".repeat(129)}/requests/${me}`, asked(me))],
    "create: of an id with a control":    ["-          -         -        -       -        -", (me) => create(`users/y\ny/requests/${me}`, asked(me))],
    "create: of a reserved id":           ["-          -         -        -       -        -", (me) => create(`users/__id6__/requests/${me}`, asked(me))],
    "delete: of a person":                ["-          -         -        -       -        +", () => remove("users/ada/requests/eve")],
    "delete: one's own":                  ["-          +         +        +       +        +", (me) => remove(`users/cleo/requests/${me}`)],
  },
};

/** accept returns the batch with which an owner accepts a request. */
const accept = (account: string, follower: string) => batch({ [`users/${account}/followers/${follower}`]: now(), [`users/${account}/requests/${follower}`]: null });

/** acceptance has rows of followers/{followerId}: follows of closed accounts. */
export const acceptance: Record<string, Row> = {
  //                                    signed-out anonymous stranger blocked follower author moderator
  "create: of a closed account":        ["-          -         -        -       -        -", (me) => create(`users/cleo/followers/${me}`, now())],
  "create: of a closed group":          ["-          -         -        -       -        -", (me) => create(`users/g_club/followers/${me}`, now())],
  "create: one's own request accepted": ["-          -         -        -       -        -", (me) => accept("g_nameless", me)],
  "create: accept":                     ["-          -         -        -       -        +", () => accept("ada", "eve")],
  "create: accept for a group":         ["-          -         -        -       -        +", () => accept("g_club", "carol")],
  "create: accept without a request":   ["-          -         -        -       -        -", () => accept("g_club", "eve")],
  "create: accept, keeping the request": ["-         -         -        -       -        -", () => create("users/g_club/followers/carol", now())],
  "create: accept the request of another": ["-       -         -        -       -        -", () => batch({ "users/g_club/followers/eve": now(), [carols]: null })],
  "create: accept one who is blocked":  ["-          -         -        -       -        -", () => accept("g_club", "dan")],
  "create: accept one who blocks":     ["-          -         -        -       -        -", () => ({ ...accept("g_club", "carol"), there: { "users/carol/blocked/g_club": { createdAt: stamp } } })],
  "create: accept for an account without a name": ["- -        -        -       -        -", () => accept("g_nameless", "carol")],
  "create: accept at a time of one's own": ["-       -         -        -       -        -", () => batch({ "users/g_club/followers/carol": { createdAt: stamp }, [carols]: null })],
  "create: accept with another field":  ["-          -         -        -       -        -", () => batch({ "users/g_club/followers/carol": { ...now(), role: "admin" }, [carols]: null })],
};
