import type { Fields } from "./fields.ts";
import type { Place } from "./places.ts";
import type { Post } from "./posts.ts";

/** A post, and its place in the feed. */
export interface Entry<P = Fields> {
  id: string;
  order: string;
  post: Post<P>;
  /** The entry's place in a timeline; absent in other feeds. */
  place?: Place;
  /** The post does not exist, or the account may not read it. */
  gone?: boolean;
  /** A new post of the account's own, which the feed does not have yet. */
  own?: boolean;
  /** Only in an entry of several posts: see groupReposts. */
  reposters?: string[];
  ids?: string[];
}

export { pageSize } from "./query.ts";
