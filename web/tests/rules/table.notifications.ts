// Notifications of one account. Nobody else sees them, and no client writes them.
import { type Firestore, limit, orderBy, query, serverTimestamp, where } from "firebase/firestore";

import { all, count, create, get, group, list, merge, remove, request, update } from "./operations.ts";
import type { Rights } from "./row.ts";
import { stamp } from "./world.ts";

const bobs = "users/bob/notifications";
const liked = `${bobs}/like.next`;
const page = (path: string, n = 50) => (db: Firestore) => query(all(path)(db), limit(n));
const fresh = (actor: string) => ({ verb: "like", object: "next", count: 1, actors: [actor], at: serverTimestamp(), expireAt: stamp });

export const notifications: Rights = {
  document: "users/{userId}/notifications/{notificationId}",
  rows: {
    //                                    signed-out anonymous stranger blocked follower author
    "get":                                ["-          -         -        -       +        -", () => get(liked)],
    "list":                               ["-          -         -        -       +        -", () => list(page(bobs, 20))],
    "list unfiltered":                    ["-          -         -        -       -        -", () => list(all(bobs))],
    "count":                              ["-          -         -        -       +        -", () => count(page(bobs))],
    "create":                             ["-          -         -        -       -        -", (me) => create(`${bobs}/follow.2026-11-27`, fresh(me))],
    "update":                             ["-          -         -        -       -        -", () => update(liked, { count: 2 })],
    "delete":                             ["-          -         -        -       -        -", () => remove(liked)],

    "create with nothing":                ["-          -         -        -       -        -", () => create(`${bobs}/request.`, {})],
  },
  also: {
    //                                    signed-out anonymous stranger blocked follower author
    "get: one's own":                     ["-          +         +        +       +        +", (me) => get(`users/${me}/notifications/like.hello`)],
    "get: of one's group":                ["-          -         -        -       -        -", () => get("users/g_team/notifications/request.")],
    "list: one's own":                    ["-          +         +        +       +        +", (me) => list(page(`users/${me}/notifications`))],
    "list: in order":                     ["-          -         -        -       +        -", () => list((db) => query(page(bobs)(db), orderBy("at", "desc")))],
    "list: 100 at a time":                ["-          -         -        -       +        -", () => list(page(bobs, 100))],
    "list: 101 at a time":                ["-          -         -        -       -        -", () => list(page(bobs, 101))],
    "list: of one's group":               ["-          -         -        -       -        -", () => list(page("users/g_team/notifications"))],
    "list: by request, with an offset":   ["-          -         -        -       -        -", () => request({ path: bobs, limit: 50, offset: 1 })],
    "list: by page":                      ["-          -         -        -       +        -", () => request({ path: bobs, pageSize: 100 })],
    "list: by page, 101 at a time":       ["-          -         -        -       -        -", () => request({ path: bobs, pageSize: 101 })],
    "list: everyone's":                   ["-          -         -        -       -        -", () => list((db) => query(group("notifications")(db), limit(50)))],
    "count: what is new":                 ["-          -         -        -       +        -", () => count((db) => query(page(bobs, 100)(db), where("at", ">", stamp)))],
    "count: without a limit":             ["-          -         -        -       -        -", () => count(all(bobs))],
    "count: everyone's":                  ["-          -         -        -       -        -", () => count((db) => query(group("notifications")(db), limit(50)))],
    "create: one's own":                  ["-          -         -        -       -        -", (me) => create(`users/${me}/notifications/like.hello`, fresh("eve"))],
    "update: another field":              ["-          -         -        -       -        -", () => merge(liked, { seen: true })],
    "delete: one's own":                  ["-          -         -        -       -        -", (me) => remove(`users/${me}/notifications/like.hello`)],
  },
};
