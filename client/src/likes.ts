/** Likes: documents posts/{post}/likes/{me}. The functions count them, a moment later. */
import { deleteDoc, getDocsFromServer, limit, query, serverTimestamp, where } from "firebase/firestore";
import type { Me } from "./me.ts";
import { once } from "./pace.ts";
import { everyLikePath, likePath } from "./paths.ts";

/** The most posts of one query. */
export const mostAsked = 30;

/** Likes a post: one write. May be repeated. Rejects with permission-denied and a reason. */
export async function like(me: Me, post: string): Promise<void> {
  const path = likePath(me.db, post, me.id);
  await once(me, "likes", post, path, { userId: me.id, postId: post, createdAt: serverTimestamp() }, { post });
}

/** Removes a like: one delete. May be repeated. */
export async function unlike(me: Me, post: string): Promise<void> {
  me.check();
  await deleteDoc(likePath(me.db, post, me.id));
}

/**
 * Returns the posts that the account likes, of at most 30: one query, and a read for each like. Rejects with unavailable if the server
 * does not answer: the cache knows only the likes that it has seen.
 */
export async function ownLikes(me: Me, posts: string[]): Promise<Set<string>> {
  me.check();
  const found = await getDocsFromServer(query(everyLikePath(me.db), where("userId", "==", me.id), where("postId", "in", posts), limit(50)));
  return new Set(found.docs.map((one) => one.get("postId") as string));
}
