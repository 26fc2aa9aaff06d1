/** What the account has done on this page, for the lists that show it: they change at once, also below their live page. */
import type { Post } from "./posts.ts";

/** path: a document's, such as posts/p1. It is gone, or a post has changed. back: a path that is written anew. feed: feeds have other posts in a moment. */
export type Act = { path: string; post: Partial<Post> | null } | { back: string } | { feed: true };

export class Acts {
  private readonly watchers = new Set<(act: Act) => void>();

  on(watcher: (act: Act) => void): () => void {
    const one = (act: Act) => watcher(act);
    this.watchers.add(one);
    return () => void this.watchers.delete(one);
  }

  /** A document was deleted: lists drop it. */
  gone(path: string): void {
    this.tell({ path, post: null });
  }

  /** A document is about to be written that may have been deleted before. */
  back(path: string): void {
    this.tell({ back: path });
  }

  changed(path: string, post: Partial<Post>): void {
    this.tell({ path, post });
  }

  /** Lists that poll read their first page again, a moment later. */
  feed(): void {
    this.tell({ feed: true });
  }

  private tell(act: Act): void {
    for (const watcher of [...this.watchers]) if (this.watchers.has(watcher)) watcher(act);
  }
}
