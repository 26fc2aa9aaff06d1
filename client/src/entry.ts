import type { Place } from "./places.ts";
import type { Post } from "./posts.ts";

/** A post, and its place in the feed. */
export interface Entry {
  id: string;
  order: string;
  post: Post;
  /** The entry's place in a timeline; absent in other feeds. */
  place?: Place;
  /** The post does not exist, or the account may not read it. */
  gone?: boolean;
  /** Only in an entry of several posts: see groupReposts. */
  reposters?: string[];
  ids?: string[];
}

/** The most posts of a page. */
export const pageSize = 20;
