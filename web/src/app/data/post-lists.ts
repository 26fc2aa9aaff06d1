import type { Firestore } from "firebase/firestore";
import { Paged } from "./paged";
import { postsOf, toPost, type Post } from "./posts";
import { querySource } from "./query";

/** A post in a list of its author's. */
export interface OwnPost {
  id: string;
  order: string;
  post: Post;
}

/** An author's posts as a list. One read for each that is shown; those not sent yet are among them. */
export function postList(db: Firestore, author: string, size = 20): Paged<OwnPost> {
  return new Paged(
    querySource(postsOf(db, author), size, (found) => {
      const post = toPost(found);
      return { id: post.id, order: `${post.createdAt.toISOString()} ${post.id}`, post };
    }),
  );
}
