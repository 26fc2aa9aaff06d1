/** Comments: documents posts/{post}/comments/{id}. Who may read the post reads and writes them. */
import { deleteDoc, doc, limit, onSnapshot, orderBy, query, serverTimestamp, Timestamp, where, type Firestore, type Unsubscribe } from "firebase/firestore";
import { act } from "./pace.ts";
import { commentPath, commentsPath } from "./paths.ts";
import type { Post } from "./posts.ts";

export interface Comment {
  id: string;
  userId: string;
  createdAt: Date;
  text: string;
  /** Known to this device only: the server has not confirmed it. */
  sending: boolean;
}

/** The rules refuse more characters. */
export const maxComment = 2_000;

const newest = 20;

/** A comment is for those who read the post as long as it has this author and this audience. */
const threadOf = ({ userId, audience }: Post) => `${userId}/${audience}`;

/** Watches the newest 20 comments, the newest last: one read for each, and for each that comes. Its index is firestore.indexes.json's. */
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

/** One write. With ranking it lifts the post in the timelines of who follows me. Refused if the post is gone, or has moved, or its author blocks me. */
export async function writeComment(db: Firestore, post: Post, userId: string, text: string): Promise<void> {
  const comment = doc(commentsPath(db, post.id));
  await act(db, "comments", `${post.id}/${comment.id}`, (batch) => batch.set(comment, { userId, createdAt: serverTimestamp(), thread: threadOf(post), text }));
}

/** One delete, by its author, the post's, or a moderator. What it has lifted stays where it is. */
export async function deleteComment(db: Firestore, post: string, id: string): Promise<void> {
  await deleteDoc(commentPath(db, post, id));
}
