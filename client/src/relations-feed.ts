/**
 * The feed as a Firestore query of the client: the newest posts of all followed accounts.
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
 * The feed by a listener: new posts show at once. Offline, the first page comes from the cache.
 *
 * The first page costs 20 reads of relations and 20 of posts. Each new post costs one of each, each edit one of a post. Each later
 * page costs 20 and 20. The rules add one read for each post. A relation holds the ids of all followers in its index document: at
 * the default capacity of 10,000 up to 330 KB, which makes 6.6 MB a page. See endpointFeed.
 *
 * A relation names the post and lacks its text, so an edit does not change the relation. Therefore each post of the first page has
 * its own listener. One listener on all twenty ("documentId() in") would be a new query with each new post, and read all twenty
 * again. Posts of later pages are read once: an edit shows there when the feed is opened again.
 *
 * Offline, later pages fail: see querySource.
 */
export function relationsFeed(db: Firestore, me: string): Source<Entry> {
  const all = query(relationsPath(db), where("followers", "array-contains", me), orderBy("createdAt", "desc"));
  const cursors = new Map<string, QueryDocumentSnapshot>();

  /**
   * Returns entries for relations, without those whose post does not exist. A post with two relations for the account appears once.
   */
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
          const end = docs.at(-1);
          if (end) cursors.set("", end); // if all of these posts are deleted
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
      let cursor = cursors.get(last?.id ?? "");
      if (!cursor) return null;
      for (;;) {
        const found: QueryDocumentSnapshot[] = (await getDocsFromServer(query(all, startAfter(cursor), limit(pageSize)))).docs;
        const items = entries(found, await getPosts(db, found.map((relation) => relation.get("postId") as string)));
        const more = found.length === pageSize;
        const end = found.at(-1);
        // A page with only deleted posts is not the end of the feed.
        if (items.length > 0 || !more || !end) return { items, more };
        cursor = end;
      }
    },
  };
}
