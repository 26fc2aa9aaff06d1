/**
 * The feed, as a client asks Firestore for it: the newest posts of everyone that I follow, with one query.
 *
 *     _relations  where followers array-contains me  order by createdAt desc  limit 20
 */
import { getDocsFromServer, limit, onSnapshot, orderBy, query, startAfter, where, type Firestore, type QueryDocumentSnapshot } from "firebase/firestore";
import { pageSize, type Entry } from "./entry.ts";
import type { Source } from "./paged.ts";
import { relationsPath } from "./paths.ts";
import { getPosts, type Post } from "./posts.ts";
import { knownMore, timeOrder } from "./query.ts";
import { WatchedPosts } from "./watched-posts.ts";

/**
 * The feed by a listener: what comes is there at once, also offline from the cache.
 *
 * Costs, for the first page, 20 relations and 20 posts, then a relation and a post for each that comes, and a post for
 * each edit. For each page below, 20 and 20. Rules read once more for each post. In bytes, a relation carries the ids of
 * all followers in its index document: at the default capacity of 10,000 up to 330 KB, hence 6.6 MB a page. See endpointFeed.
 *
 * A relation says which post, not what is in it: an edit of the text leaves it as it is. So the posts of the first page
 * are watched, each by a listener of its own. One listener on all twenty ("documentId() in") would be another
 * query with each post that comes, and read all twenty again. Posts of the pages below are read once: an edit shows
 * there when the feed is opened the next time.
 *
 * Offline, the first page is what the cache has of it, and the pages below fail: see querySource.
 */
export function relationsFeed(db: Firestore, me: string): Source<Entry> {
  const all = query(relationsPath(db), where("followers", "array-contains", me), orderBy("createdAt", "desc"));
  const cursors = new Map<string, QueryDocumentSnapshot>();

  /** Relations in a row, with their posts: those whose post is gone are left out, and a post that has two relations for me is there once. */
  const entries = (relations: QueryDocumentSnapshot[], posts: { get(id: string): Post | null | undefined }): Entry[] => {
    const items = new Map<string, Entry>();
    for (const relation of relations) {
      const id: unknown = relation.get("postId");
      const post = typeof id === "string" ? posts.get(id) : null;
      if (!post) continue;
      cursors.set(post.id, relation);
      if (!items.has(post.id)) items.set(post.id, { id: post.id, order: timeOrder(relation, "createdAt"), post });
    }
    return [...items.values()];
  };

  return {
    first(changed, failed) {
      const rest = knownMore();
      let page: { relations: QueryDocumentSnapshot[]; more: boolean | undefined } | undefined;
      const show = () => {
        if (page && posts.complete) changed({ items: entries(page.relations, posts), more: page.more });
      };
      const posts = new WatchedPosts(db, show, failed);
      const stop = onSnapshot(
        query(all, limit(pageSize)),
        { includeMetadataChanges: true },
        ({ docs, metadata }) => {
          page = { relations: docs, more: rest(docs.length === pageSize, metadata.fromCache) };
          posts.want(new Set(docs.map((relation) => relation.get("postId") as string)));
          show();
        },
        failed,
      );
      return () => {
        stop();
        posts.close();
      };
    },

    async after(last) {
      let cursor = cursors.get(last.id);
      if (!cursor) return null;
      for (;;) {
        const found: QueryDocumentSnapshot[] = (await getDocsFromServer(query(all, startAfter(cursor), limit(pageSize)))).docs;
        const items = entries(found, await getPosts(db, found.map((relation) => relation.get("postId") as string)));
        const more = found.length === pageSize;
        const end = found.at(-1);
        // A page of nothing but deleted posts is not the end of the feed.
        if (items.length > 0 || !more || !end) return { items, more };
        cursor = end;
      }
    },
  };
}
