/**
 * The feed as a Firestore query of the client: the newest posts of all followed accounts.
 *
 *     _relations  where followers array-contains me  order by createdAt desc  limit 20
 */
import { getDocsFromServer, limit, orderBy, query, startAfter, where, type QueryDocumentSnapshot } from "firebase/firestore";
import { pageSize, type Entry } from "./entry.ts";
import { until } from "./errors.ts";
import { listenQuery } from "./listen.ts";
import type { Me } from "./me.ts";
import type { Source } from "./paged.ts";
import { relationsPath } from "./paths.ts";
import { getPosts, toPost, type Post } from "./posts.ts";
import { knownMore, timeOrder } from "./query.ts";
import { WatchedPosts } from "./watched-posts.ts";

export interface RelationsOptions {
  /**
   * Whether to read each post too, although its text is copied: for its numbers of likes and comments, and for fields that are not
   * copied. Without it: if the functions keep numbers.
   */
  posts?: boolean;
}

/** Returns the post that a relation has copied; null: it must be read. A repost and a post to chosen people have more to say. */
function copyIn<P>(me: Me<P>, relation: QueryDocumentSnapshot): Post<P> | null {
  if (!relation.get("text") || !relation.get("audience")) return null;
  return { ...toPost(me, relation), id: relation.get("postId") as string, copied: true, sending: false };
}

/**
 * The feed by a listener: new posts show at once. Offline, the first page comes from the cache.
 *
 * A page costs 20 reads of relations and 20 of posts, and the rules add one for each post; each new post costs one of each. If the
 * deployment copies the text of posts (Config.copied) and keeps no numbers, or with `posts: false`, it costs 20 reads of relations
 * alone: then posts have their text, author and audience, and other fields as far as they are copied. A relation holds the ids
 * of all followers in its index document: at the default capacity of 10,000 up to 330 KB, which makes 6.6 MB a page. See endpointFeed.
 *
 * Without a copy, a relation lacks the text, so an edit does not change it. Therefore each post of the first page has its own listener.
 * One listener on all twenty ("documentId() in") would be a new query with each new post, and read all twenty again. Posts of later
 * pages are read once: an edit by another shows there when the feed is opened again.
 *
 * Offline, later pages fail: see querySource.
 */
export function relationsFeed<P>(me: Me<P>, options: RelationsOptions = {}): Source<Entry<P>> {
  const all = query(relationsPath(me.db), where("followers", "array-contains", me.id), orderBy("createdAt", "desc"));
  const cursors = new Map<string, QueryDocumentSnapshot>();
  const copies = !(options.posts ?? me.client.config.counts) && me.client.config.copied?.includes("text");

  const copyOf = (relation: QueryDocumentSnapshot) => (copies ? copyIn(me, relation) : null);
  /** The ids of the posts that have to be read. */
  const toRead = (relations: QueryDocumentSnapshot[]) => relations.filter((relation) => !copyOf(relation)).map((relation) => String(relation.get("postId")));

  /**
   * Returns entries for relations, without those whose post does not exist. A post with two relations for the account appears once.
   */
  const entries = (relations: QueryDocumentSnapshot[], posts: { get(id: string): Post<P> | null | undefined }): Entry<P>[] => {
    const items = new Map<string, Entry<P>>();
    for (const relation of relations) {
      const id = String(relation.get("postId"));
      const post = copyOf(relation) ?? posts.get(id);
      if (!post) continue;
      cursors.set(id, relation);
      if (!items.has(id)) items.set(id, { id, order: timeOrder(relation, "createdAt"), post });
    }
    return [...items.values()];
  };

  return {
    me,
    lags: true,
    pathOf: ({ id }) => `posts/${id}`,
    first(changed, failed) {
      const rest = knownMore();
      let page: { relations: QueryDocumentSnapshot[]; more: boolean | undefined; fromCache: boolean } | undefined;
      const show = () => {
        if (!page || !posts.complete) return;
        const items = entries(page.relations, posts);
        // If the device has none of the posts, only the server knows whether there are any.
        changed({ items, more: items.length === 0 && page.fromCache ? undefined : page.more, fromCache: page.fromCache });
      };
      const posts = new WatchedPosts(me, show, failed);
      const stop = listenQuery(
        me,
        query(all, limit(pageSize)),
        ({ docs, metadata }) => {
          const end = docs.at(-1);
          if (end) cursors.set("", end); // if all of these posts are deleted
          page = { relations: docs, more: rest(docs.length === pageSize, metadata.fromCache), fromCache: metadata.fromCache };
          posts.want(new Set(toRead(docs)));
          show();
        },
        failed,
      );
      return () => {
        stop();
        posts.close();
      };
    },

    async after(last, signal) {
      let cursor = cursors.get(last?.id ?? "");
      if (!cursor) return null;
      me.check();
      for (;;) {
        const found: QueryDocumentSnapshot[] = (await until(signal, getDocsFromServer(query(all, startAfter(cursor), limit(pageSize))))).docs;
        const items = entries(found, await getPosts(me, toRead(found), signal));
        const more = found.length === pageSize;
        const end = found.at(-1);
        // A page with only deleted posts is not the end of the feed.
        if (items.length > 0 || !more || !end) return { items, more };
        cursor = end;
      }
    },
  };
}
