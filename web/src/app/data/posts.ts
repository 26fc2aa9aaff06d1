/** Posts: documents posts/{id} with {userId, createdAt, text}. Their author writes, edits and deletes them. */
import {
  deleteDoc, doc, documentId, getDoc, getDocs, limit, onSnapshot, orderBy, query, serverTimestamp, setDoc, Timestamp, updateDoc, where,
  type DocumentSnapshot, type Firestore, type Query, type Unsubscribe,
} from "firebase/firestore";
import { codeOf } from "./errors";
import { postPath, postsPath } from "./paths";

export interface Post {
  id: string;
  userId: string;
  /** By the server's clock; while it is being sent, by this device's. */
  createdAt: Date;
  text: string;
  edited: boolean;
  /** Known to this device only: the server has not confirmed it. */
  sending: boolean;
}

/** What the composer takes, in UTF-16 units; the rules refuse more characters than that. */
export const maxText = 10_000;

/** An id, chosen before the post is written, so that writing it again is the same post and not a second one. */
export function newPostId(db: Firestore): string {
  return doc(postsPath(db)).id;
}

/**
 * Writes a post: one write. Resolves when the server has it. Offline it waits, also over a reload, and shows in
 * watchPost and in queries at once, as sending. May be repeated with the same id.
 */
export async function writePost(db: Firestore, id: string, userId: string, text: string): Promise<void> {
  try {
    await setDoc(postPath(db, id), { userId, createdAt: serverTimestamp(), text });
  } catch (error) {
    // A post that has arrived is refused the second time, since its createdAt would move: nothing has changed.
    if (codeOf(error) !== "permission-denied" || (await getDoc(postPath(db, id))).get("userId") !== userId) throw error;
  }
}

/** One write; feeds show it through watchPost. Refused (not-found) if the post has been deleted meanwhile. */
export async function editPost(db: Firestore, id: string, text: string): Promise<void> {
  await updateDoc(postPath(db, id), { text, editedAt: serverTimestamp() });
}

/** One delete; the functions take it out of the feeds. May be repeated. */
export async function deletePost(db: Firestore, id: string): Promise<void> {
  await deleteDoc(postPath(db, id));
}

/** Watches a post: one read, and one for each edit. null when there is none. */
export function watchPost(db: Firestore, id: string, changed: (post: Post | null) => void, failed: (error: Error) => void): Unsubscribe {
  return onSnapshot(postPath(db, id), { includeMetadataChanges: true }, (found) => changed(found.exists() ? toPost(found) : null), failed);
}

/** Posts by id, one read for each, in requests of 30 (the most that "in" takes). Those that are gone are left out. */
export async function getPosts(db: Firestore, ids: string[]): Promise<Map<string, Post>> {
  const requests = [];
  for (let i = 0; i < ids.length; i += 30) requests.push(getDocs(query(postsPath(db), where(documentId(), "in", ids.slice(i, i + 30)), limit(30))));
  const found = (await Promise.all(requests)).flatMap((page) => page.docs);
  return new Map(found.map((post) => [post.id, toPost(post)]));
}

/** An author's posts, the newest first. It has a composite index of its own in firestore.indexes.json. */
export function postsOf(db: Firestore, author: string): Query {
  return query(postsPath(db), where("userId", "==", author), orderBy("createdAt", "desc"));
}

/** Another client may have written anything: what is not as it should be becomes something harmless. */
export function toPost(found: DocumentSnapshot): Post {
  const data = found.data({ serverTimestamps: "estimate" }) ?? {};
  return {
    id: found.id,
    userId: typeof data.userId === "string" ? data.userId : "",
    createdAt: data.createdAt instanceof Timestamp ? data.createdAt.toDate() : new Date(0),
    text: typeof data.text === "string" ? data.text : "",
    edited: data.editedAt !== undefined,
    sending: found.metadata.hasPendingWrites,
  };
}
