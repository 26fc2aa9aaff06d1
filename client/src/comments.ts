/** Comments: documents posts/{post}/comments/{id}. Accounts that may read the post may read and write comments. */
import { deleteDoc, doc, orderBy, query, serverTimestamp, Timestamp, where } from "firebase/firestore";
import { textIn } from "./fields.ts";
import type { Me } from "./me.ts";
import { act } from "./pace.ts";
import type { Source } from "./paged.ts";
import { commentPath, commentsPath } from "./paths.ts";
import type { Post } from "./posts.ts";
import { pageSize, querySource, timeOrder } from "./query.ts";

export interface Comment {
  id: string;
  order: string;
  /** The post's id. */
  post: string;
  userId: string;
  createdAt: Date;
  text: string;
  /** The server has not confirmed the comment. */
  sending: boolean;
}

/** The rules reject more characters. */
export const maxComment = 2_000;

/** A comment can be read while the post has this author and audience. */
const threadOf = ({ userId, audience }: Post<unknown>) => `${userId}/${audience}`;

/** The comments of a post, newest first: one read for each, and one for each new comment. The query's index is in firestore.indexes.json. */
export function comments(me: Me, post: Post<unknown>): Source<Comment> {
  return querySource(me, query(commentsPath(me.db, post.id), where("thread", "==", threadOf(post)), orderBy("createdAt", "desc")), pageSize, (found) => {
    const data = found.data({ serverTimestamps: "estimate" });
    return {
      id: found.id,
      order: timeOrder(found, "createdAt"),
      post: post.id,
      userId: textIn(data, "userId"),
      createdAt: data["createdAt"] instanceof Timestamp ? data["createdAt"].toDate() : new Date(0),
      text: textIn(data, "text"),
      sending: found.metadata.hasPendingWrites,
    };
  });
}

/**
 * Writes a comment: one write. With ranking, the comment lifts the post in the timelines of the account's followers. Rejects with a
 * reason if the post was deleted, changed its author or audience, or its author blocks the account.
 */
export async function writeComment(me: Me, post: Post<unknown>, text: string): Promise<void> {
  const comment = doc(commentsPath(me.db, post.id));
  await act(
    me,
    "comments",
    `${post.id}/${comment.id}`,
    (batch) => batch.set(comment, { userId: me.id, createdAt: serverTimestamp(), thread: threadOf(post), text }),
    { post: post.id },
  );
}

/**
 * Deletes a comment: one delete, by the comment's author, the post's author or a moderator. Timelines keep the place of a lifted
 * post.
 */
export async function deleteComment(me: Me, { post, id }: Pick<Comment, "post" | "id">): Promise<void> {
  me.check();
  const document = commentPath(me.db, post, id);
  await deleteDoc(document);
  me.acts.gone(document.path);
}
