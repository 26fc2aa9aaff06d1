import type { Place } from "./places.ts";
import type { Post } from "./posts.ts";

/** A post, and its place in the feed. */
export interface Entry {
  id: string;
  order: string;
  post: Post;
  /** Of a timeline: what it says of the post. */
  place?: Place;
  /** There is no such post any more, or not for me. */
  gone?: boolean;
  /** Of several posts in one: see groupReposts. */
  reposters?: string[];
  ids?: string[];
}

/** How many posts a page of a feed has at most. */
export const pageSize = 20;
