/** Likes: documents posts/{post}/likes/{me}. The functions count them, a moment later. */
import { deleteDoc, getDocs, limit, query, serverTimestamp, where, type Firestore } from "firebase/firestore";
import { act, once } from "./pace.ts";
import { everyLikePath, likePath } from "./paths.ts";

/** The most posts of one query. */
export const mostAsked = 30;

/**
 * Likes a post: one write. May be repeated. Rejects if the account has no profile or may not read the post, or the post's author
 * blocks it.
 */
export async function like(db: Firestore, me: string, post: string): Promise<void> {
  const path = likePath(db, post, me);
  await once(path, () => act(db, "likes", post, (batch) => batch.set(path, { userId: me, postId: post, createdAt: serverTimestamp() })));
}

/** Removes a like: one delete. May be repeated. */
export async function unlike(db: Firestore, me: string, post: string): Promise<void> {
  await deleteDoc(likePath(db, post, me));
}

/** Returns the posts that the account likes, of at most 30: one query, and a read for each like. */
export async function ownLikes(db: Firestore, me: string, posts: string[]): Promise<Set<string>> {
  const found = await getDocs(query(everyLikePath(db), where("userId", "==", me), where("postId", "in", posts), limit(50)));
  return new Set(found.docs.map((one) => one.get("postId") as string));
}
