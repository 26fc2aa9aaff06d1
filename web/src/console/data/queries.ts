/** Queries of the console, and the most documents that each may listen to. */
import { collection, documentId, endAt, type FieldPath, getDocs, limit, orderBy, query, type Query, startAt, where } from "firebase/firestore";
import { isGroup, nameKey } from "relationindex-client";
import type { Db } from "./connect";
import { type Person, person } from "./documents";

/** The most index documents of an author, or relations of a post, in a listener. It has the newest. */
export const newestParts = 50;
/** Newest posts of an author. */
export const newestPosts = 20;
/** Jobs that were written last, and unfinished jobs: so many of each. */
const newestJobs = 60;
const authors = 50;
/** Newest followers of an author; the console offers their timelines. */
const newestFollowers = 20;
/** Newest notifications of an account. */
const newestNotifications = 20;
/** Newest documents of a timeline: entries, buckets (open is one of these), and days of up to 1 MiB. */
const newestEntries = 50,
  newestBuckets = 25,
  newestDays = 10;

/** Authors with many index documents, by the id of the current index document: ids count up as documents are opened. */
export const mostIndexed = (db: Db) => query(users(db), orderBy("latestFollowersIndex", "desc"), limit(authors));

/** Any accounts, with followers or without. */
export const someUsers = (db: Db) => query(users(db), limit(authors));

/** Reads accounts whose name or id begins with a text. Case and accents of names are ignored. */
export async function usersLike(db: Db, text: string): Promise<Person[]> {
  const beginning = (by: string | FieldPath, start: string) => query(users(db), orderBy(by), startAt(start), endAt(`${start}\u{10ffff}`), limit(authors));
  const found = await Promise.all([beginning("nameLower", nameKey(text)), beginning(documentId(), text)].map((one) => getDocs(one)));
  return found.flatMap(({ docs }) => docs.map((d) => person(d.id, d.data())));
}

export const accountOf = (db: Db, id: string) => query(users(db), where(documentId(), "==", id));

/** The index documents of an author in their order, from an id on; from "", all. */
export function indexDocuments(db: Db, author: string, from: string) {
  const all = query(collection(users(db), author, "followers_index"), orderBy(documentId()));
  return from === "" ? all : query(all, startAt(from));
}

/** The newest posts of an author, or in a group. */
export const postsOf = (db: Db, author: string) =>
  query(posts(db), where(isGroup(author) ? "audience" : "userId", "==", author), orderBy("createdAt", "desc"), limit(newestPosts));

/** The relations of a post: all, and the relations of the newest index documents. */
export function relationsOf(db: Db, post: string): [newest: Query[], all: Query] {
  const all = query(collection(db.firestore, "_relations"), where("postId", "==", post));
  return [[query(all, orderBy("indexId", "desc"), limit(newestParts))], all];
}

/** The newest followers of an author. */
export const readersOf = (db: Db, author: string) =>
  query(collection(users(db), author, db.collections.followers), orderBy("createdAt", "desc"), limit(newestFollowers));

export const notificationsOf = (db: Db, account: string) =>
  query(collection(users(db), account, "notifications"), orderBy("at", "desc"), limit(newestNotifications));

/** The newest documents of a reader's timeline, in each layout. A production database has no index for the sequence. */
export function timelineOf(db: Db, reader: string): [newest: Query[], all: Query] {
  const all = collection(users(db), reader, "timeline");
  // A field of another type is not the functions', and would sort among the newest.
  const newest = (by: string, from: number | string, most: number) => query(all, where(by, ">=", from), orderBy(by, "desc"), limit(most));
  return [[newest("sequence", 0, newestBuckets), newest("day", "", newestDays), newest("at", -Number.MAX_VALUE, newestEntries)], all];
}

export const recentJobs = (db: Db) => query(jobs(db), orderBy("updatedAt", "desc"), limit(newestJobs));

export const unfinishedJobs = (db: Db) => query(jobs(db), where("state", "in", ["queued", "running"]), limit(newestJobs));

export const users = (db: Db) => collection(db.firestore, db.collections.users);

export const posts = (db: Db) => collection(db.firestore, db.collections.posts);

const jobs = (db: Db) => collection(db.firestore, "_functions");
