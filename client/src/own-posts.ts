/** The account's new posts, shown before lists have them. */
import { limit, onSnapshot, query, type Firestore } from "firebase/firestore";
import { postsOf, toPost, writtenHere, type Post } from "./posts.ts";
import { Value } from "./value.ts";

/** The number of posts that OwnPosts watches. Older ones of the same visit are in the lists by then. */
const watched = 5;

/**
 * The account's posts that a feed may not have yet: unsent posts, also from an earlier visit, and posts written since the page
 * was opened. A post reaches a feed when the functions have run: a moment after the server has the post, or with the next poll of
 * Feed. If authors do not receive their own posts, the post never reaches their feed.
 */
export class OwnPosts {
  /** Newest first, at most 5. A post that the server rejects is removed. */
  readonly state = new Value<Post[]>([]);
  private readonly written: Set<string>;
  private readonly stop: () => void;

  /** Costs at most 5 reads at the start, and one for each new or changed post of the account. */
  constructor(db: Firestore, me: string) {
    this.written = writtenHere(db);
    this.stop = onSnapshot(query(postsOf(db, me), limit(watched)), { includeMetadataChanges: true }, ({ docs }) => {
      // A post without the server's time is unsent, perhaps from an earlier visit. A new post may have that time already.
      for (const found of docs) if (found.get("createdAt") === null) this.written.add(found.id);
      this.state.set(docs.filter(({ id }) => this.written.has(id)).map(toPost));
    }, () => {}); // after an error, own posts show when the feed has them
  }

  /**
   * Returns the posts to show above a list: the list does not have them yet. Use the post's id as key in both. When the list shows
   * a post, above leaves that post out, also later: a list that is read again may have it further down. It leaves out reposts of
   * shown posts.
   */
  above(shown: { id: string; ids?: string[]; post?: Post }[]): Post[] {
    for (const { id, ids } of shown) for (const one of ids ?? [id]) this.written.delete(one);
    const originals = new Set(shown.map(({ id, post }) => post?.repostOf || id));
    return this.state.get().filter(({ id, repostOf, hidden }) => this.written.has(id) && !hidden && !originals.has(repostOf));
  }

  close(): void {
    this.stop();
    this.state.end();
  }
}
