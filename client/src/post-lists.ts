/** Lists of posts: the account's own, and those to an audience. One read for each post; unsent posts are included. */
import type { Firestore, Query } from "firebase/firestore";
import { Paged } from "./paged.ts";
import { postsOf, postsTo, toPost, type Post } from "./posts.ts";
import { querySource, timeOrder } from "./query.ts";

/** A post in a list that is ordered by time. */
export interface ListedPost {
  id: string;
  order: string;
  post: Post;
}

export const myPosts = (db: Firestore, me: string, size = 20): Paged<ListedPost> => byTime(postsOf(db, me), size);

/** See postsTo. */
export const audiencePosts = (db: Firestore, audience: string, moderator: boolean): Paged<ListedPost> => byTime(postsTo(db, audience, moderator), 20);

function byTime(query: Query, size: number): Paged<ListedPost> {
  return new Paged(querySource(query, size, (found) => ({ id: found.id, order: timeOrder(found, "createdAt"), post: toPost(found) })));
}
