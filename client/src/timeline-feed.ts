/**
 * The feed from the account's own documents, users/{me}/timeline, in the project's layout. Each entry names a post. Posts of the
 * first page are watched, later ones are read.
 */
import { documentId, orderBy, query, type Firestore } from "firebase/firestore";
import type { Timelines } from "./config.ts";
import { pageSize, type Entry } from "./entry.ts";
import type { Page, Source } from "./paged.ts";
import { timelinePath } from "./paths.ts";
import { placeOf, type Place } from "./places.ts";
import { getPosts, noPost, type Post } from "./posts.ts";
import { querySource } from "./query.ts";
import { bucketPlaces } from "./timeline-buckets.ts";
import { dayPlaces } from "./timeline-days.ts";
import { WatchedPosts } from "./watched-posts.ts";

/** One read for each item. */
const itemPlaces = (db: Firestore, me: string): Source<Place> =>
  querySource(query(timelinePath(db, me), orderBy("at", "desc"), orderBy(documentId(), "desc")), pageSize,
    (found) => placeOf(found.id, found.data(), Date.now()));

const placesOf = { items: itemPlaces, buckets: bucketPlaces, days: dayPlaces };

/**
 * The feed by listeners on the account's timeline; offline it comes from the cache. A page costs two reads for each post that is
 * not hidden, one of them by the rules. It also costs, by layout:
 *
 * - items: one read for each entry, also for each that arrives;
 * - buckets: one read for each bucket, at most three for 20 posts in buckets of 50, and one for each change of a bucket;
 * - days: one read for each day, and one for each change of a day.
 *
 * An entry has about 100 bytes; a bucket of 50 about 5 KB.
 */
export function timelineFeed(db: Firestore, me: string, layout: Timelines["layout"]): Source<Entry> {
  const places = placesOf[layout](db, me);
  return {
    first(changed, failed) {
      let page: Page<Place> | undefined;
      const show = () => {
        if (page && posts.complete) changed({ items: page.items.map((place) => entryOf(place, posts.get(place.id))), more: page.more });
      };
      const posts = new WatchedPosts(db, show, failed);
      const stop = places.first((next) => {
        page = next;
        // A post hidden after it was shown stays watched: its row offers to show it again.
        posts.want(new Set(next.items.filter(({ id, hidden }) => !hidden || posts.has(id)).map(({ id }) => id)));
        show();
      }, failed);
      return () => {
        stop();
        posts.close();
      };
    },

    async after(last) {
      const page = last?.place && (await places.after(last.place));
      if (!page) return null;
      const posts = await getPosts(db, page.items.filter(({ hidden }) => !hidden).map(({ id }) => id));
      return { items: page.items.map((place) => entryOf(place, posts.get(place.id) ?? null)), more: page.more };
    },
  };
}

/** An entry without a post keeps its place, because later pages continue below it. */
function entryOf(place: Place, post: Post | null): Entry {
  return { id: place.id, order: place.order, post: post ?? noPost(place.id), place, gone: post === null };
}
