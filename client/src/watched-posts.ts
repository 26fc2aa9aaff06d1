/** The posts of a page, each with its own listener. relationsFeed gives the reason. */
import type { Firestore } from "firebase/firestore";
import { watchPost, type Post } from "./posts.ts";

export class WatchedPosts {
  private posts = new Map<string, Post | null>();
  private stops = new Map<string, () => void>();

  constructor(private db: Firestore, private changed: () => void, private failed: (error: Error) => void) {}

  /** Watches these posts, and stops watching all others. */
  want(ids: Set<string>): void {
    for (const [id, stop] of this.stops) {
      if (ids.has(id)) continue;
      stop();
      this.stops.delete(id);
      this.posts.delete(id);
    }
    for (const id of ids) {
      if (this.stops.has(id)) continue;
      this.stops.set(id, watchPost(this.db, id, (post) => (this.posts.set(id, post), this.changed()), this.failed));
    }
  }

  /** Whether a post is watched. */
  has(id: string): boolean {
    return this.stops.has(id);
  }

  /** Whether all watched posts have arrived. A page that fills up post by post would jump. */
  get complete(): boolean {
    return this.posts.size === this.stops.size;
  }

  /** null: the post does not exist, or the account may not read it. */
  get(id: string): Post | null {
    return this.posts.get(id) ?? null;
  }

  close(): void {
    this.want(new Set());
  }
}
