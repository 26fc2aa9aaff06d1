/** What the account has done on this page, for the lists that show it: they change at once, also below their live page. */
import type { Post } from "./posts.ts";

/** path: a document's, such as posts/p1, as it is now; null: it is gone. feed: feeds have other posts in a moment; follows: of others. */
export type Act = { path: string; post: Partial<Post> | null } | { feed: true; follows: boolean };

/** The most acts that are remembered. */
const mostDone = 1_000;

export class Acts {
  private readonly watchers = new Set<(act: Act) => void>();
  /** The acts by path, with their time in ms since 1970. */
  readonly done = new Map<string, { at: number; post: Partial<Post> | null }>();

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
    this.put(path, { ...this.done.get(path)?.post, ...post });
  }

  private put(path: string, post: Partial<Post> | null): void {
    this.done.delete(path); // so that it is the newest
    this.done.set(path, { at: Date.now(), post });
    for (const oldest of this.done.keys()) if (this.done.size > mostDone) this.done.delete(oldest);
    this.tell({ path, post });
  }

  /** A document is about to be written that may have been deleted before. */
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
