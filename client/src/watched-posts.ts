/** The posts of a page, each with its own listener. relationsFeed gives the reason. */
import type { Me } from "./me.ts";
import { watchPost, type Post } from "./posts.ts";

export class WatchedPosts<P> {
  private posts = new Map<string, Post<P> | null>();
  private stops = new Map<string, () => void>();

  constructor(
    private me: Me<P>,
    private changed: () => void,
    private failed: (error: Error) => void,
  ) {}

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
      this.stops.set(
        id,
        watchPost(
          this.me,
          id,
          (post) => this.put(id, post),
          (error) => {
            if (!this.posts.has(id)) this.put(id, null); // one that fails does not hold back the others
            this.failed(error);
          },
        ),
      );
    }
  }

  private put(id: string, post: Post<P> | null): void {
    this.posts.set(id, post);
    this.changed();
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
  get(id: string): Post<P> | null {
    return this.posts.get(id) ?? null;
  }

  close(): void {
    this.want(new Set());
  }
}
