// All paths. If a deployment renames users, followers or posts (RELATIONINDEX_…), change them here.
import { collection, collectionGroup, doc, type CollectionReference, type DocumentReference, type Firestore, type Query } from "firebase/firestore";

/** users/ada: the profile, and the functions' fields, such as counts. Always write it with merge. */
export const userPath = (db: Firestore, uid: string): DocumentReference => doc(db, "users", uid);

export const usersPath = (db: Firestore): CollectionReference => collection(db, "users");

/** users/ada/followers/bob: exists if and only if bob follows ada. */
export const followPath = (db: Firestore, author: string, follower: string): DocumentReference => doc(db, "users", author, "followers", follower);

export const followersPath = (db: Firestore, author: string): CollectionReference => collection(db, "users", author, "followers");

/** users/bob/following: the accounts that bob follows. The functions write an edge a moment after the follow. */
export const followingPath = (db: Firestore, follower: string): CollectionReference => collection(db, "users", follower, "following");

/** users/ada/blocked/bob: ends bob's follow of ada, and prevents a new one. */
export const blockPath = (db: Firestore, author: string, blocked: string): DocumentReference => doc(db, "users", author, "blocked", blocked);

export const blockedPath = (db: Firestore, author: string): CollectionReference => collection(db, "users", author, "blocked");

/** users/ada/requests/bob: bob asks to follow ada, whose account is closed. */
export const requestPath = (db: Firestore, account: string, follower: string): DocumentReference => doc(db, "users", account, "requests", follower);

export const requestsPath = (db: Firestore, account: string): CollectionReference => collection(db, "users", account, "requests");

/** _tombstones/g_1: a group that was deleted. */
export const tombstonePath = (db: Firestore, group: string): DocumentReference => doc(db, "_tombstones", group);

/** users/ada/timeline/…: ada's timeline, in the documents of a layout. Written by the functions. */
export const timelinePath = (db: Firestore, uid: string): CollectionReference => collection(db, "users", uid, "timeline");

/** users/ada/settings/feed: {seenAt, hide, show}. */
export const settingsPath = (db: Firestore, uid: string): DocumentReference => doc(db, "users", uid, "settings", "feed");

/** users/ada/settings/read: {readAt, notifiedAt}. Always write it with merge. */
export const readPath = (db: Firestore, uid: string): DocumentReference => doc(db, "users", uid, "settings", "read");

/** users/ada/notifications/like.p1: {verb, object, count, actors, at}. Written by the functions. */
export const notificationsPath = (db: Firestore, uid: string): CollectionReference => collection(db, "users", uid, "notifications");

/** users/ada/notifications/request.: exists while requests to follow ada wait. */
export const waitingPath = (db: Firestore, uid: string): DocumentReference => doc(db, "users", uid, "notifications", "request.");

/** users/ada/hidden/p1: ada hides p1. */
export const hiddenPostPath = (db: Firestore, uid: string, post: string): DocumentReference => doc(db, "users", uid, "hidden", post);

export const hiddenPostsPath = (db: Firestore, uid: string): CollectionReference => collection(db, "users", uid, "hidden");

/** users/ada/rates/posts: {start, n, ids, at}. */
export const ratePath = (db: Firestore, uid: string, kind: string): DocumentReference => doc(db, "users", uid, "rates", kind);

/** posts/p1: {userId, createdAt, text, audience, to, refs, hidden, hiddenBy, kind, counts}. */
export const postPath = (db: Firestore, id: string): DocumentReference => doc(db, "posts", id);

/** posts/p1/comments/c1: {userId, createdAt, thread, text}. */
export const commentPath = (db: Firestore, post: string, id: string): DocumentReference => doc(db, "posts", post, "comments", id);

export const commentsPath = (db: Firestore, post: string): CollectionReference => collection(db, "posts", post, "comments");

/** posts/p1/likes/ada: {userId, postId, createdAt}. */
export const likePath = (db: Firestore, post: string, uid: string): DocumentReference => doc(db, "posts", post, "likes", uid);

/** The likes of all posts. */
export const everyLikePath = (db: Firestore): Query => collectionGroup(db, "likes");

export const postsPath = (db: Firestore): CollectionReference => collection(db, "posts");

/** _relations/p1_00001: a post for up to 10,000 followers, or for the people in `to`. Written by the functions. */
export const relationsPath = (db: Firestore): CollectionReference => collection(db, "_relations");
