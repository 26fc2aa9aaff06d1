/**
 * The feed, as a client asks Firestore for it: the newest posts of everyone that I follow, with one query.
 *
 *     _relations  where followers array-contains me  order by createdAt desc  limit 20
 */
import { getDocsFromServer, limit, onSnapshot, orderBy, query, startAfter, Timestamp, where, type Firestore, type QueryDocumentSnapshot } from "firebase/firestore";
import type { Page, Source } from "./paged.ts";
import { relationsPath } from "./paths.ts";
import type { Place } from "./places.ts";
import { getPosts, type Post } from "./posts.ts";
import { WatchedPosts } from "./watched-posts.ts";

/** A post, and its place in the feed. */
export interface Entry {
  id: string;
  order: string;
  post: Post;
  /** Of a timeline: what it says of the post. */
  place?: Place;
  /** There is no such post any more, or not for me. */
  gone?: boolean;
  /** See groupReposts. */
  reposters?: string[];
}

export const pageSize = 20;

/**
 * Costs, for the first page, 20 relations and 20 posts, then a relation and a post for each that comes, and a post for
 * each edit. For each page below, 20 and 20. A relation carries up to 10,000 ids: at worst a page is 6.6 MB; see Feed.
 *
 * A relation says which post, not what is in it: an edit of the text leaves it as it is. So the posts of the first page
 * are watched, each by a listener of its own. One listener on all twenty ("documentId() in") would be another
 * query with each post that comes, and read all twenty again. Posts of the pages below are read once: an edit shows
 * there when the feed is opened the next time.
 *
 * Offline, the first page is what the cache has of it, and the pages below fail: see querySource.
 */
export function directFeed(db: Firestore, me: string): Source<Entry> {
  const all = query(relationsPath(db), where("followers", "array-contains", me), orderBy("createdAt", "desc"));
  const cursors = new Map<string, QueryDocumentSnapshot>();

  /** Relations in a row, with their posts: those whose post is gone are left out, and a post that has two relations for me is there once. */
  const entries = (relations: QueryDocumentSnapshot[], posts: { get(id: string): Post | null | undefined }): Page<Entry> => {
    const items = new Map<string, Entry>();
    for (const relation of relations) {
      const id: unknown = relation.get("postId");
      const post = typeof id === "string" ? posts.get(id) : null;
      if (!post) continue;
      cursors.set(post.id, relation);
      if (!items.has(post.id)) items.set(post.id, { id: post.id, order: placeOf(relation), post });
    }
    return { items: [...items.values()], more: relations.length === pageSize };
  };

  return {
    first(changed, failed) {
      let relations: QueryDocumentSnapshot[] = [];
      let found = false;
      const show = () => {
        if (found && posts.complete) changed(entries(relations, posts));
      };
      const posts = new WatchedPosts(db, show, failed);
      const stop = onSnapshot(
        query(all, limit(pageSize)),
        ({ docs }) => {
          found = true;
          relations = docs;
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
        const page = entries(found, await getPosts(db, found.map((relation) => relation.get("postId") as string)));
        const end = found.at(-1);
        // A page of nothing but deleted posts is not the end of the feed.
        if (page.items.length > 0 || !page.more || !end) return page;
        cursor = end;
      }
    },
  };
}

/** The order of the query as text: the time to the nanosecond, then the relation's name. */
function placeOf(relation: QueryDocumentSnapshot): string {
  const time: unknown = relation.get("createdAt");
  return `${time instanceof Timestamp ? time.valueOf() : ""} ${relation.id}`;
}
