/** What the account has done on this page, for the lists that show it: they change at once, also below their live page. */
import type { Post } from "./posts.ts";

/** path: a document's, such as posts/p1, as it is now; null: it is gone. feed: feeds have other posts in a moment; follows: of others. */
export type Act = { path: string; post: Partial<Post> | null } | { feed: true; follows: boolean };

/** The most acts that are remembered. */
const mostDone = 1_000,
  mostOfOne = 20;

/** What was done to a document, and at what ms since 1970. n: counted up, because two acts may be in one millisecond. */
export interface Done {
  at: number;
  n: number;
  post: Partial<Post> | null;
}

export class Acts {
  private readonly watchers = new Set<(act: Act) => void>();
  /** The acts by path, the oldest first. */
  readonly done = new Map<string, Done[]>();
  /** The number of acts so far. */
  count = 0;

  on(watcher: (act: Act) => void): () => void {
    const one = (act: Act) => watcher(act);
    this.watchers.add(one);
    return () => void this.watchers.delete(one);
  }

  /** A document was deleted: lists drop it. */
  gone(path: string): void {
    this.put(path, null);
  }

  /** A post has changed. */
  changed(path: string, post: Partial<Post>): void {
    this.put(path, post);
  }

  private put(path: string, post: Partial<Post> | null): void {
    const before = (post && this.done.get(path)) ?? [];
    this.done.delete(path); // so that it is the newest
    this.done.set(path, [...before, { at: Date.now(), n: ++this.count, post }].slice(-mostOfOne));
    for (const oldest of this.done.keys()) if (this.done.size > mostDone) this.done.delete(oldest);
    this.tell({ path, post });
  }

  /** A document is written that may have been deleted before: call it before the write, and after it, because a deletion may still be under way. */
  back(path: string): void {
    this.done.delete(path);
  }

  /** Lists that poll read their first page again, a moment later. follows: the account follows others now. */
  feed(follows = false): void {
    this.tell({ feed: true, follows });
  }

  private tell(act: Act): void {
    for (const watcher of [...this.watchers]) if (this.watchers.has(watcher)) watcher(act);
  }
}
