/** Likes: documents posts/{post}/likes/{me}. The functions count them, a moment later. */
import { deleteDoc, getDoc, getDocs, limit, query, serverTimestamp, where, type Firestore } from "firebase/firestore";
import { act } from "./pace.ts";
import { everyLikePath, likePath } from "./paths.ts";

/** How many posts one query asks about. */
export const mostAsked = 30;

/** One write. May be repeated: the second is refused, and changes nothing. Refused if the post is not for me, or its author blocks me. */
export async function like(db: Firestore, me: string, post: string): Promise<void> {
  const path = likePath(db, post, me);
  try {
    await act(db, "likes", post, (batch) => batch.set(path, { userId: me, postId: post, createdAt: serverTimestamp() }));
  } catch (error) {
    if (!(await getDoc(path).catch(() => null))?.exists()) throw error;
  }
}

/** One delete. May be repeated. */
export async function unlike(db: Firestore, me: string, post: string): Promise<void> {
  await deleteDoc(likePath(db, post, me));
}

/** Which of at most 30 posts I like: one query, and a read for each that I do. */
export async function ownLikes(db: Firestore, me: string, posts: string[]): Promise<Set<string>> {
  const found = await getDocs(query(everyLikePath(db), where("userId", "==", me), where("postId", "in", posts), limit(50)));
  return new Set(found.docs.map((one) => one.get("postId") as string));
}
