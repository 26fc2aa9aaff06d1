/** A timeline in days: one document for each UTC day with posts. */
import { getDocsFromServer, limit, orderBy, query, startAfter, startAt, type QueryDocumentSnapshot, type QueryStartAtConstraint } from "firebase/firestore";
import { until } from "./errors.ts";
import { listenQuery } from "./listen.ts";
import type { Me } from "./me.ts";
import type { Page, Source } from "./paged.ts";
import { timelinePath } from "./paths.ts";
import { placesIn, type Place } from "./places.ts";
import { knownMore, pageSize } from "./query.ts";

const atOnce = 3;

/** Returns the places of a timeline in days. Costs a read for each day, and one for each change of a day on the first page. */
export function dayPlaces(me: Me): Source<Place> {
  const all = query(timelinePath(me.db, me.id), orderBy("day", "desc"));
  const cut = (places: Place[], rest: boolean | undefined, fromCache = false): Page<Place> => ({
    items: places.slice(0, pageSize),
    more: places.length > pageSize || rest,
    fromCache,
  });

  return {
    me,
    first(changed, failed) {
      let stop = () => {};
      /** Listens to the newest days, and to four times as many if they do not fill a page. The rules allow 50. */
      const listen = (days: number) => {
        stop();
        const more = knownMore();
        stop = listenQuery(
          me,
          query(all, limit(days)),
          ({ docs, metadata }) => {
            const places = docs.flatMap(placesOf);
            const full = docs.length === days;
            if (full && places.length < pageSize && days * 4 <= 50) listen(days * 4);
            else changed(cut(places, more(full, metadata.fromCache), metadata.fromCache));
          },
          failed,
        );
      };
      listen(atOnce);
      return () => stop();
    },

    async after(last, signal) {
      if (!last) return null;
      me.check();
      const places: Place[] = [];
      let from: QueryStartAtConstraint = startAt(last.part);
      for (;;) {
        const { docs } = await until(signal, getDocsFromServer(query(all, from, limit(atOnce))));
        places.push(...docs.flatMap(placesOf).filter((place) => place.order < last.order));
        const end = docs.at(-1);
        if (!end || docs.length < atOnce) return cut(places, false);
        if (places.length >= pageSize) return cut(places, true);
        from = startAfter(end);
      }
    },
  };
}

function placesOf(found: QueryDocumentSnapshot): Place[] {
  const day: unknown = found.get("day");
  return placesIn(typeof day === "string" ? day : "", found.data(), Date.now());
}
