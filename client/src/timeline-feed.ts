/**
 * The feed from the account's own documents, users/{me}/timeline, in the project's layout. Each entry names a post. Posts of the
 * first page are watched, later ones are read.
 */
import { documentId, orderBy, query } from "firebase/firestore";
import type { Timelines } from "./config.ts";
import { pageSize, type Entry } from "./entry.ts";
import { ClientError } from "./errors.ts";
import type { Me } from "./me.ts";
import type { Page, Source } from "./paged.ts";
import { timelinePath } from "./paths.ts";
import { placeOf, type Place } from "./places.ts";
import { getPosts, noPost, type Post } from "./posts.ts";
import { querySource } from "./query.ts";
import { bucketPlaces } from "./timeline-buckets.ts";
import { dayPlaces } from "./timeline-days.ts";
import { WatchedPosts } from "./watched-posts.ts";

/** One read for each item. */
const itemPlaces = (me: Me): Source<Place> =>
  querySource(me, query(timelinePath(me.db, me.id), orderBy("at", "desc"), orderBy(documentId(), "desc")), pageSize, (found) =>
    placeOf(found.id, found.data(), Date.now()),
  );

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
export function timelineFeed<P>(me: Me<P>, layout: Timelines["layout"]): Source<Entry<P>> {
  const placesIn = placesOf[layout] as (typeof placesOf)["items"] | undefined;
  if (!placesIn) throw new ClientError("failed-precondition", `the configuration names a layout of timelines that there is not: ${layout}`);
  const places = placesIn(me);
  // An entry without a post keeps its place, because later pages continue below it.
  const entry = (place: Place, post: Post<P> | null): Entry<P> => ({
    id: place.id,
    order: place.order,
    post: post ?? noPost(me, place.id),
    place,
    gone: post === null,
  });
  return {
    me,
    pathOf: ({ id }) => `posts/${id}`,
    first(changed, failed) {
      let page: Page<Place> | undefined;
      const show = () => {
        if (page && posts.complete) changed({ ...page, items: page.items.map((place) => entry(place, posts.get(place.id))) });
      };
      const posts = new WatchedPosts(me, show, failed);
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

    async after(last, signal) {
      const page = last?.place && (await places.after(last.place, signal));
      if (!page) return null;
      const posts = await getPosts(
        me,
        page.items.filter(({ hidden }) => !hidden).map(({ id }) => id),
        signal,
      );
      return { items: page.items.map((place) => entry(place, posts.get(place.id) ?? null)), more: page.more };
    },
  };
}
