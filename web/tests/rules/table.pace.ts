// The acts that have a pace under rules with a pace, and the writes that never have one.
import { deleteField, doc, increment, serverTimestamp, writeBatch } from "firebase/firestore";

import type { Operation } from "./operations.ts";
import type { Cell } from "./row.ts";
import { type Fields, type Who, stamp } from "./world.ts";

/** Writes are the documents of a batch, merged; null deletes one. */
type Writes = Record<string, Fields | null>;

const now = () => ({ createdAt: serverTimestamp() });

/** Act is an act: the document as the rules match it, the account, the kind and the id in its rate, and the writes. */
type Act = [document: string, who: Who, kind: string, id: string, writes: () => Writes];

const acts: Record<string, Act> = {
  "post": ["posts/{postId}", "author", "posts", "new", () => ({ "posts/new": { userId: "ada", ...now(), audience: "ada", hidden: false } })],
  "edit": ["posts/{postId}", "author", "posts", "hello", () => ({ "posts/hello": { text: "edited" } })],
  "show a post": ["posts/{postId}", "author", "posts", "hidden", () => ({ "posts/hidden": { hidden: false } })],
  "show a post that a group's owner has hidden": ["posts/{postId}", "author", "posts", "taken", () => ({ "posts/taken": { hidden: false, hiddenBy: deleteField() } })],
  "comment": ["posts/{postId}/comments/{commentId}", "stranger", "comments", "hello/new", () => ({ "posts/hello/comments/new": { userId: "carol", ...now(), thread: "ada/ada" } })],
  "like": ["posts/{postId}/likes/{userId}", "stranger", "likes", "hello", () => ({ "posts/hello/likes/carol": { userId: "carol", postId: "hello", ...now() } })],
  "follow": ["users/{userId}/followers/{followerId}", "stranger", "follows", "bob", () => ({ "users/bob/followers/carol": now() })],
  "accept": ["users/{userId}/followers/{followerId}", "author", "accepts", "g_club/carol", () => ({ "users/g_club/followers/carol": now(), "users/g_club/requests/carol": null })],
  "ask": ["users/{userId}/requests/{followerId}", "stranger", "follows", "cleo", () => ({ "users/cleo/requests/carol": { followerId: "carol", ...now() } })],
  "hide": ["users/{userId}/hidden/{postId}", "stranger", "hidden", "hello", () => ({ "users/carol/hidden/hello": now() })],
  "first filters": ["users/{userId}/settings/feed", "blocked", "filters", "feed", () => ({ "users/dan/settings/feed": { hide: ["ada/*"] } })],
  "hide a kind": ["users/{userId}/settings/feed", "stranger", "filters", "feed", () => ({ "users/carol/settings/feed": { hide: ["ada/*"] } })],
  "show a kind": ["users/{userId}/settings/feed", "stranger", "filters", "feed", () => ({ "users/carol/settings/feed": { show: ["bob/*"] } })],
  "sign up": ["users/{userId}", "anonymous", "profiles", "guest", () => ({ "users/guest": { name: "Guest" } })],
  "change a profile": ["users/{userId}", "author", "profiles", "ada", () => ({ "users/ada": { bio: "new" } })],
  "create a group": ["users/{userId}", "author", "profiles", "g_new", () => ({ "users/g_new": { name: "New", ownerId: "ada" } })],
  "change a group": ["users/{userId}", "author", "profiles", "g_team", () => ({ "users/g_team": { bio: "new" } })],
};

/** free are the writes without a pace. */
const free: Record<string, [document: string, who: Who, writes: () => Writes]> = {
  "delete a post": ["posts/{postId}", "author", () => ({ "posts/hello": null })],
  "hide a post of a group, as its owner": ["posts/{postId}", "author", () => ({ "posts/ours": { hidden: true, hiddenBy: "owner" } })],
  "hide a post, as a moderator": ["posts/{postId}", "moderator", () => ({ "posts/hello": { hidden: true, hiddenBy: "moderator" } })],
  "show a post, as a moderator": ["posts/{postId}", "moderator", () => ({ "posts/judged": { hidden: false, hiddenBy: deleteField() } })],
  "delete a comment": ["posts/{postId}/comments/{commentId}", "follower", () => ({ "posts/hello/comments/1": null })],
  "take back a like": ["posts/{postId}/likes/{userId}", "follower", () => ({ "posts/hello/likes/bob": null })],
  "unfollow": ["users/{userId}/followers/{followerId}", "follower", () => ({ "users/ada/followers/bob": null })],
  "decline": ["users/{userId}/requests/{followerId}", "author", () => ({ "users/g_club/requests/carol": null })],
  "block": ["users/{userId}/blocked/{followerId}", "author", () => ({ "users/ada/blocked/bob": now() })],
  "bring back": ["users/{userId}/hidden/{postId}", "follower", () => ({ "users/bob/hidden/hello": null })],
  "be there": ["users/{userId}/settings/feed", "follower", () => ({ "users/bob/settings/feed": { seenAt: serverTimestamp() } })],
  "be there for the first time": ["users/{userId}/settings/feed", "blocked", () => ({ "users/dan/settings/feed": { seenAt: serverTimestamp() } })],
  "read": ["users/{userId}/settings/read", "follower", () => ({ "users/bob/settings/read": { readAt: stamp } })],
  "read for the first time": ["users/{userId}/settings/read", "blocked", () => ({ "users/dan/settings/read": { readAt: stamp } })],
  "see notifications": ["users/{userId}/settings/read", "follower", () => ({ "users/bob/settings/read": { notifiedAt: stamp } })],
  "have all be new again": ["users/{userId}/settings/read", "follower", () => ({ "users/bob/settings/read": null })],
  "delete an account": ["users/{userId}", "author", () => ({ "users/ada": null })],
};

/** written returns a batch of writes. For each kind, the rate of an earlier batch with the same ids is already there. */
function written(me: string, writes: Writes, kinds: string[] = [], ids: string[] = []): Operation {
  const there = Object.fromEntries(kinds.map((kind) => [`users/${me}/rates/${kind}`, { start: stamp, n: ids.length, ids, at: stamp }]));
  return {
    writes: Object.keys(writes),
    there,
    run: (db) => {
      const batch = writeBatch(db);
      for (const [path, data] of Object.entries(writes)) data ? batch.set(doc(db, path), data, { merge: true }) : batch.delete(doc(db, path));
      return batch.commit();
    },
  };
}

/** counted adds the rate to writes. */
const counted = (me: string, kind: string, ids: string[], writes: Writes): Writes => ({ ...writes, [`users/${me}/rates/${kind}`]: { ids, at: serverTimestamp(), n: increment(ids.length) } });

/** paced returns a batch with its rate. */
export const paced = (me: string, kind: string, ids: string[], writes: Writes): Operation => written(me, counted(me, kind, ids, writes), [kind], ids.slice(0, 8));

/** otherThan returns another kind. */
const otherThan = (kind: string): string => (kind === "posts" ? "comments" : "posts");

const ofActs = Object.entries(acts).flatMap(([what, [document, who, kind, id, writes]]): Cell[] => {
  const cell = (how: string, allowed: boolean, operation: Cell["operation"]): Cell => ({ document, what: `${what} ${how}`, who, allowed, operation });
  return [
    cell("with its rate", true, (me) => paced(me, kind, [id], writes())),
    cell("beside another", true, (me) => paced(me, kind, ["another", id], writes())),
    cell("without a rate", false, (me) => written(me, writes())),
    cell("with the rate of the last batch", false, (me) => written(me, writes(), [kind], [id])),
    cell("with the rate of another act", false, (me) => paced(me, kind, ["another"], writes())),
    cell("with a rate of another kind", false, (me) => written(me, counted(me, otherThan(kind), [id], writes()), [kind, otherThan(kind)], [id])),
  ];
});

const ofOthers = Object.entries(free).map(([what, [document, who, writes]]): Cell => ({ document, what: `${what} without a rate`, who, allowed: true, operation: (me) => written(me, writes()) }));

const all = [...ofActs, ...ofOthers];

/** pace is the part of the table that depends on the pace: the cells of each document. */
export const pace: Cell[][] = [...new Set(all.map(({ document }) => document))].map((document) => all.filter((cell) => cell.document === document));
