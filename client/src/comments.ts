/** Comments: documents posts/{post}/comments/{id}. Accounts that may read the post may read and write comments. */
import { deleteDoc, doc, limit, onSnapshot, orderBy, query, serverTimestamp, Timestamp, where, type Firestore, type Unsubscribe } from "firebase/firestore";
import { act } from "./pace.ts";
import { commentPath, commentsPath } from "./paths.ts";
import type { Post } from "./posts.ts";

export interface Comment {
  id: string;
  userId: string;
  createdAt: Date;
  text: string;
  /** The server has not confirmed the comment. */
  sending: boolean;
}

/** The rules reject more characters. */
export const maxComment = 2_000;

const newest = 20;

/** A comment can be read while the post has this author and audience. */
const threadOf = ({ userId, audience }: Post) => `${userId}/${audience}`;

/**
 * Watches the newest 20 comments, the newest last: one read for each, also for new ones. The query's index is in
 * firestore.indexes.json.
 */
export function watchComments(db: Firestore, post: Post, changed: (comments: Comment[]) => void, failed: (error: Error) => void): Unsubscribe {
  return onSnapshot(query(commentsPath(db, post.id), where("thread", "==", threadOf(post)), orderBy("createdAt", "desc"), limit(newest)), { includeMetadataChanges: true }, ({ docs }) =>
    changed(docs.map((found) => {
      const data = found.data({ serverTimestamps: "estimate" });
      return {
        id: found.id,
        userId: typeof data.userId === "string" ? data.userId : "",
        createdAt: data.createdAt instanceof Timestamp ? data.createdAt.toDate() : new Date(0),
        text: typeof data.text === "string" ? data.text : "",
        sending: found.metadata.hasPendingWrites,
      };
    }).reverse()), failed);
}

/**
 * Writes a comment: one write. With ranking, the comment lifts the post in the timelines of the account's followers. Rejects if the
 * post was deleted, changed its author or audience, or its author blocks the account.
 */
export async function writeComment(db: Firestore, post: Post, userId: string, text: string): Promise<void> {
  const comment = doc(commentsPath(db, post.id));
  await act(db, "comments", `${post.id}/${comment.id}`, (batch) => batch.set(comment, { userId, createdAt: serverTimestamp(), thread: threadOf(post), text }));
}

/**
 * Deletes a comment: one delete, by the comment's author, the post's author or a moderator. Timelines keep the place of a lifted
 * post.
 */
export async function deleteComment(db: Firestore, post: string, id: string): Promise<void> {
  await deleteDoc(commentPath(db, post, id));
}
