/**
 * The feed out of my own documents, users/{me}/timeline, in the layout that the project has. Each entry names a post,
 * which is watched or read as those of the direct feed are.
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
 * The feed by listeners on my timeline, also offline from the cache. Costs what the layout costs, and a read for each post that is
 * not hidden, which the rules double. Of items, that is 20 reads for a page of 20, and one for each that comes; of buckets one
 * for each bucket of a page, at most three for 20 posts in buckets of 50, and one for each change of a bucket; of days one for
 * each day. In bytes, an entry is some 100: a bucket of 50 is some 5 KB.
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
        // A post that has been hidden since it came stays: its row offers to bring it back.
        posts.want(new Set(next.items.filter(({ id, hidden }) => !hidden || posts.has(id)).map(({ id }) => id)));
        show();
      }, failed);
      return () => {
        stop();
        posts.close();
      };
    },

    async after(last) {
      const page = last.place && (await places.after(last.place));
      if (!page) return null;
      const posts = await getPosts(db, page.items.filter(({ hidden }) => !hidden).map(({ id }) => id));
      return { items: page.items.map((place) => entryOf(place, posts.get(place.id) ?? null)), more: page.more };
    },
  };
}

/** An entry without a post keeps its place, so that pages go on below it. */
function entryOf(place: Place, post: Post | null): Entry {
  return { id: place.id, order: place.order, post: post ?? noPost(place.id), place, gone: post === null };
}
