/** Every query of the console, and how many documents each may listen to. */
import { collection, documentId, endAt, limit, orderBy, query, type Query, startAt, where } from "firebase/firestore";
import type { Db } from "./connect";

/** Newest index documents of an author, and newest relations of a post, that are listened to. */
export const newestParts = 50;
/** Newest posts of an author. */
export const newestPosts = 20;
/** Jobs that were written last, and unfinished ones. */
const newestJobs = 60;
const authors = 50;

/** Authors with the most index documents: ids of index documents count up, so the latest tells how many there are. */
export function mostIndexed(db: Db): Query {
  return query(users(db), orderBy("latestFollowersIndex", "desc"), limit(authors));
}

/** Some accounts, with followers or without. */
export function someUsers(db: Db): Query {
  return query(users(db), limit(authors));
}

/** Accounts whose name, and accounts whose id begins with a text. */
export function usersLike(db: Db, text: string): Query[] {
  return ["name", documentId()].map((by) => query(users(db), orderBy(by), startAt(text), endAt(`${text}\uf8ff`), limit(authors)));
}

export function indexDocuments(db: Db, author: string): { newest: Query; all: Query } {
  const all = collection(db.firestore, db.collections.users, author, db.collections.followersIndex);
  return { newest: query(all, orderBy(documentId(), "desc"), limit(newestParts)), all };
}

export function postsOf(db: Db, author: string): Query {
  return query(posts(db), where("userId", "==", author), orderBy("createdAt", "desc"), limit(newestPosts));
}

/** A relation's id ends in that of its index document, so their order is that of index documents. */
export function relationsOf(db: Db, post: string): { newest: Query; all: Query } {
  const all = query(collection(db.firestore, db.collections.relations), where("postId", "==", post));
  return { newest: query(all, orderBy(documentId(), "desc"), limit(newestParts)), all };
}

export function recentJobs(db: Db): Query {
  return query(jobs(db), orderBy("updatedAt", "desc"), limit(newestJobs));
}

export function unfinishedJobs(db: Db): Query {
  return query(jobs(db), where("state", "in", ["queued", "running"]), limit(newestJobs));
}

export function users(db: Db) {
  return collection(db.firestore, db.collections.users);
}

export function posts(db: Db) {
  return collection(db.firestore, db.collections.posts);
}

function jobs(db: Db) {
  return collection(db.firestore, db.collections.jobs);
}
