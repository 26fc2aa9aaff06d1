// Who there is, and what is stored before each cell.
import { Timestamp } from "firebase/firestore";

/** The columns of the table, in their order. */
export const who = ["signed-out", "anonymous", "stranger", "blocked", "follower", "author"] as const;
export type Who = (typeof who)[number];

/** Their uids. Who is signed out has none; "nobody" stands where a path needs one. */
export const uids: Record<Who, string> = {
  "signed-out": "nobody",
  anonymous: "guest", // signed in by Firebase's anonymous sign-in
  stranger: "carol", // signed in, and nothing else
  blocked: "dan", // follows ada, who has blocked him just now: the functions have not ended the follow yet
  follower: "bob", // follows ada
  author: "ada", // has a profile, a post and two followers
};

/** A time that a client made up, and the createdAt of every document of the world. */
export const stamp = Timestamp.fromDate(new Date("2026-01-02T03:04:05Z"));

export type Fields = Record<string, unknown>;

/** The stored documents by path. The functions' look like those that functions write. */
export const world: Record<string, Fields> = {
  "users/ada": { name: "Ada", verified: true, followers_index: ["00001"], latestFollowersIndex: "00001" }, // a server has verified her
  "users/ada/followers/bob": { createdAt: stamp },
  "users/ada/followers/dan": { createdAt: stamp },
  "users/ada/blocked/dan": { createdAt: stamp },
  "users/ada/followers_index/00001": { followers: ["bob", "dan"], count: 2, version: 2 },
  "users/ada/private/notes": { text: "a subcollection that the rules do not name" },
  "users/bob": { name: "Bob" },
  ["users/" + "x".repeat(128)]: { name: "The longest id" },
  ["users/" + "x".repeat(129)]: { name: "One letter more than a client may name" },
  "users/empty": {},
  "users/imported": { followers_index: ["00001"], latestFollowersIndex: "00001" }, // followed, and no profile yet
  "users/bob/following/ada": { indexId: "00001", createdAt: stamp },
  "posts/hello": { userId: "ada", createdAt: stamp, text: "hello" },
  "posts/undated": { userId: "ada", text: "written by a server, without a createdAt" },
  "posts/authorless": { createdAt: stamp, text: "written by a server, without a userId" },
  "posts/hello/comments/1": { userId: "ada", text: "a subcollection that the rules do not name" },
  "_relations/hello_00001": {
    postId: "hello",
    userId: "ada",
    indexId: "00001",
    indexVersion: 2,
    followers: ["bob", "dan"],
    createdAt: stamp,
  },
  "_functions/post:hello": { kind: "post", state: "queued", args: { postId: "hello" } },
  "settings/app": { theme: "a collection that the rules do not name" },
};
