/** My new posts, shown before lists have them. */
import { limit, onSnapshot, query, type Firestore } from "firebase/firestore";
import { postsOf, toPost, writtenHere, type Post } from "./posts.ts";
import { Value } from "./value.ts";

/** How many are watched; of more that were written in one visit, lists have the others by then, or never. */
const watched = 5;

/**
 * What I have written and a feed may not have yet: posts that are not sent, of an earlier visit too, and those written since the
 * page was opened. A feed gets a post from the functions, a moment after the server has it, or with the next look at Feed; where
 * authors are no recipients of their own posts, never.
 */
export class OwnPosts {
  /** The newest first, at most 5. A post that the server refuses leaves it. */
  readonly state = new Value<Post[]>([]);
  private readonly written: Set<string>;
  private readonly stop: () => void;

  /** Costs at most 5 reads at the start, and one for each post of mine that comes or changes. */
  constructor(db: Firestore, me: string) {
    this.written = writtenHere(db);
    this.stop = onSnapshot(query(postsOf(db, me), limit(watched)), { includeMetadataChanges: true }, ({ docs }) => {
      // Of an earlier visit, what has not the server's time; what is written now may have it before the first answer.
      for (const found of docs) if (found.get("createdAt") === null) this.written.add(found.id);
      this.state.set(docs.filter(({ id }) => this.written.has(id)).map(toPost));
    }, () => {}); // without it, one's posts show when the feed has them
  }

  /**
   * Those that a list does not show: put them above it, and key both by id. A post leaves these when the list shows it, at the
   * same moment, and for good: a list that begins anew may have it further down. A repost of what the list shows is not among them.
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
