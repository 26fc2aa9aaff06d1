// The accounts of the tables, and the documents that are stored before each cell.
import { Timestamp } from "firebase/firestore";

/** who are the columns of the table, in their order. */
export const who = ["signed-out", "anonymous", "stranger", "blocked", "follower", "author", "moderator", "group", "reserved"] as const;
export type Who = (typeof who)[number];

/** uids are the columns' uids. The signed-out column has no uid: "nobody" stands in paths that need one. */
export const uids: Record<Who, string> = {
  "signed-out": "nobody",
  anonymous: "guest", // signed in by Firebase's anonymous authentication, without a profile
  stranger: "carol", // has a profile, without any relation to ada
  blocked: "dan", // follows ada, and ada has just blocked him: the functions have not ended the follow yet
  follower: "bob", // follows ada
  author: "ada", // has a profile, a post and two followers, and owns groups
  moderator: "mod", // a stranger with a moderator's claim, set by a server
  group: "g_team", // has a token with a group's id and a moderator's claim, and still no rights
  reserved: "__id7__", // the same with an id that Firestore reserves, but accepts
};

/** claims are the claims of a token beside the uid. */
export const claims: Partial<Record<Who, Record<string, unknown>>> = {
  moderator: { moderator: true },
  group: { moderator: true },
  reserved: { moderator: true },
};

/** stamp is a time that a client made up, and the createdAt of every document in the world. */
export const stamp = Timestamp.fromDate(new Date("2026-01-02T03:04:05Z"));

/** inMinutes returns the time in so many minutes. */
export const inMinutes = (minutes: number) => Timestamp.fromMillis(Date.now() + minutes * 60_000);

export type Fields = Record<string, unknown>;

/** purging is the mark of a purge that is under way, or that ended: nobody creates the account for so many minutes more. */
export const purging = (id: string, minutes?: number): Record<string, Fields> => ({
  [`_purging/${id}`]: minutes === undefined ? {} : { expireAt: inMinutes(minutes) },
});

/** liked returns likes of a post by some accounts. */
function liked(postId: string, ...by: string[]): Record<string, Fields> {
  return Object.fromEntries(by.map((userId) => [`posts/${postId}/likes/${userId}`, { userId, postId, createdAt: stamp }]));
}

/** world has the stored documents by path. Documents of the functions look as the functions write them. */
export const world: Record<string, Fields> = {
  "users/ada": { name: "Ada", verified: true, followers_index: ["00001"], latestFollowersIndex: "00001", counts: { followers: 2, following: 0, posts: 1 } }, // a server has verified her
  "users/ada/followers/bob": { createdAt: stamp },
  "users/ada/followers/dan": { createdAt: stamp },
  "users/ada/blocked/dan": { createdAt: stamp },
  "users/ada/followers_index/00001": { followers: ["bob", "dan"], count: 2, version: 2 },
  "users/ada/private/notes": { text: "a subcollection that the rules do not name" },
  "users/bob": { name: "Bob" },
  "users/carol": { name: "Carol" },
  "users/dan": { name: "Dan" },
  ["users/" + "x".repeat(128)]: { name: "The longest id" },
  ["users/" + "x".repeat(129)]: { name: "One letter more than a client may name" },
  "users/x\ny": { name: "A control character, which no client may name" },
  "users/__id5__": { name: "An id that Firestore reserves" },
  "users/__id6__": { name: "Another, and closed", closed: true },
  "users/empty": {},
  "users/managed": { name: "Managed", ownerId: "ada", post: "anyone" }, // a server has given a person a group's fields
  ["users/" + "y".repeat(128)]: { name: "The longest id, and closed", closed: true },
  ["users/" + "y".repeat(129)]: { name: "One letter more, and closed", closed: true },
  "users/y\ny": { name: "A control character, and closed", closed: true },
  "users/managed/followers/eve": { createdAt: stamp },
  "users/imported": { followers_index: ["00001"], latestFollowersIndex: "00001" }, // followed, and no profile yet
  "users/bob/following/ada": { indexId: "00001", createdAt: stamp },
  "users/bob/timeline/open": { entries: {}, posts: [], accounts: [], sequence: 1, total: 0 },
  "users/ada/settings/feed": { seenAt: inMinutes(0), hide: ["eve/*"] }, // less than an hour ago during these tests
  "users/ada/settings/other": { theme: "a document that the rules do not name" },
  "users/bob/settings/feed": { seenAt: stamp, readAt: stamp, hide: ["ada/poll"], show: [] }, // readAt: from an earlier release
  "users/bob/settings/read": { readAt: stamp },
  "users/bob/notifications/like.next": { verb: "like", object: "next", count: 1, actors: ["eve"], at: stamp, expireAt: stamp },
  "users/g_team/notifications/request.": { verb: "request", object: "", count: 1, actors: ["eve"], at: stamp, expireAt: stamp },
  "users/carol/settings/feed": { show: ["*/*"] },
  "users/mod/settings/feed": { seenAt: inMinutes(-60), hide: [1], show: "a/b" }, // by a server
  "users/mod/settings/read": { readAt: "noon" }, // by a server
  "users/bob/hidden/hello": { createdAt: stamp },
  "users/bob/rates/posts": { start: stamp, n: 1, ids: ["next"], at: stamp },
  "users/ada/requests/eve": { followerId: "eve", createdAt: stamp }, // from when ada's account was closed

  // Closed accounts.
  "users/mod": { name: "Mod", closed: true },
  "users/cleo": { name: "Cleo", closed: true },
  "users/cleo/followers/bob": { createdAt: stamp },
  "users/cleo/blocked/dan": { createdAt: stamp },

  // Ada's groups. Bob is a member, dan is blocked.
  "users/g_team": { name: "Team", ownerId: "ada", closed: false, post: "members", counts: { followers: 1, following: 0, posts: 1 } },
  "users/g_team/followers/bob": { createdAt: stamp },
  "users/g_team/blocked/dan": { createdAt: stamp },
  "users/g_wall": { name: "Wall", ownerId: "ada", post: "anyone" },
  "users/g_wall/blocked/dan": { createdAt: stamp },
  "users/g_news": { name: "News", ownerId: "ada" },
  "users/g_news/followers/bob": { createdAt: stamp },
  "users/g_club": { name: "Club", ownerId: "ada", closed: true },
  "users/g_club/followers/bob": { createdAt: stamp },
  "users/g_club/blocked/dan": { createdAt: stamp },
  "users/g_club/requests/carol": { followerId: "carol", createdAt: stamp },
  "users/g_club/requests/dan": { followerId: "dan", createdAt: stamp }, // blocked since
  "users/g_nameless": { ownerId: "ada", closed: true },
  "users/g_nameless/requests/carol": { followerId: "carol", createdAt: stamp },
  "users/g_bar": { name: "Bar", ownerId: "ada", post: "anyone" }, // bob is blocked, and no member any more
  "users/g_bar/blocked/bob": { createdAt: stamp },
  "users/g_eves": { name: "Eve's", ownerId: "eve" },
  "users/g_orphan": { name: "Whose owner is deleted", post: "members" },
  "users/g_orphan/followers/bob": { createdAt: stamp },
  "users/g_taken": { name: "Taken", ownerId: "g_team" }, // a server has set a group as its owner
  "users/g_ghost": { followers_index: ["00001"], latestFollowersIndex: "00001" }, // deleted, then written again by functions
  "users/g_back": { name: "Back", ownerId: "eve" }, // a server has created it again
  "_tombstones/g_back": {},
  "_purging/zoe": {},
  "_tombstones/g_gone": {},

  "posts/hello": { userId: "ada", createdAt: stamp, kind: "note", text: "hello", audience: "ada", hidden: false, counts: { likes: 2, comments: 1 } },
  "posts/old": { userId: "ada", createdAt: stamp, text: "from before there were audiences" },
  "posts/hidden": { userId: "ada", createdAt: stamp, audience: "ada", to: ["bob"], hidden: true },
  "posts/closed": { userId: "cleo", createdAt: stamp, audience: "cleo", hidden: false },
  "posts/club": { userId: "eve", createdAt: stamp, audience: "g_club", hidden: false },
  "posts/direct": { userId: "eve", createdAt: stamp, audience: "", to: ["carol"], hidden: false },
  "posts/gone-group": { userId: "ada", createdAt: stamp, audience: "g_gone", to: ["bob"], hidden: false },
  "posts/left": { userId: "ada", createdAt: stamp, audience: "g_eves", hidden: false }, // ada posts there no more
  "posts/odd": { userId: "ada", createdAt: stamp, audience: "ada", to: "bob", hidden: false }, // a server has written to
  "posts/undated": { userId: "ada", text: "written by a server, without a createdAt" },
  "posts/authorless": { createdAt: stamp, text: "written by a server, without a userId" },
  "posts/barred": { userId: "bob", createdAt: stamp, audience: "g_bar", hidden: false }, // bob was removed since, and blocked
  "posts/barred-hidden": { userId: "bob", createdAt: stamp, audience: "g_bar", hidden: true },
  "posts/taken": { userId: "bob", createdAt: stamp, audience: "g_team", hidden: true, hiddenBy: "owner" },
  "posts/judged": { userId: "bob", createdAt: stamp, audience: "g_team", hidden: true, hiddenBy: "moderator" },
  "posts/withdrawn": { userId: "bob", createdAt: stamp, audience: "g_team", hidden: true },
  "posts/ours": { userId: "bob", createdAt: stamp, audience: "g_team", hidden: false },
  "posts/moved": { userId: "ada", createdAt: stamp, audience: "ada", hidden: false }, // from the club to everybody
  "posts/next": { userId: "bob", createdAt: stamp, audience: "bob", hidden: false }, // bob's, and before that ada's
  "posts/hello/comments/1": { userId: "bob", createdAt: stamp, thread: "ada/ada", text: "hello, Ada" },
  "posts/hello/comments/before": { userId: "carol", createdAt: stamp, text: "from before there were threads" },
  "posts/hello/comments/dans": { userId: "dan", createdAt: stamp, thread: "eve/ada" }, // by a server
  "posts/hello/comments/1/likes/1": { userId: "ada" }, // a subcollection that the rules do not name
  "posts/hello/edits/1": { userId: "ada" }, // another
  ...liked("hello", "bob", "dan"), // dan from before ada blocked him
  ...liked("closed", "eve"),
  ...liked("club", "eve", "carol"), // carol is in the club no more
  ...liked("hidden", "eve"),
  ...liked("direct", "eve"),
  ...liked("gone", "bob", "eve"), // stayed when the post went
  "posts/club/comments/1": { userId: "carol", createdAt: stamp, thread: "eve/g_club" }, // carol is in the club no more
  "posts/closed/comments/1": { userId: "eve", createdAt: stamp, thread: "cleo/cleo" },
  "posts/hidden/comments/1": { userId: "eve", createdAt: stamp, thread: "ada/ada" },
  "posts/direct/comments/1": { userId: "carol", createdAt: stamp, thread: "eve/" },
  "posts/old/comments/1": { userId: "eve", createdAt: stamp, thread: "ada/ada" },
  "posts/gone/comments/1": { userId: "bob", createdAt: stamp, thread: "ada/ada" }, // stayed when the post went
  "posts/moved/comments/1": { userId: "eve", createdAt: stamp, thread: "ada/g_club" }, // written in the club
  "posts/next/comments/1": { userId: "eve", createdAt: stamp, thread: "ada/ada" }, // written to ada
  "posts/next/comments/2": { userId: "eve", createdAt: stamp, thread: "bob/bob" },
  "_relations/hello_00001": {
    postId: "hello",
    userId: "ada",
    indexId: "00001",
    indexVersion: 2,
    followers: ["bob", "dan"],
    createdAt: stamp,
  },
  "_settings/cursors": { keys: ["a key"] },
  "_settings/paused": { since: stamp },
  "_functions/post:hello": { kind: "post", state: "queued", args: { postId: "hello" } },
  "settings/app": { theme: "a collection that the rules do not name" },
};
