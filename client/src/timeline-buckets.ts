/**
 * A timeline in buckets: `open` has the newest entries, `past-…` are closed buckets. With a cap, these are a ring. Each is read by
 * name.
 */
import { doc, getDocFromServer, type DocumentSnapshot } from "firebase/firestore";
import { until } from "./errors.ts";
import { listenDoc } from "./listen.ts";
import type { Me } from "./me.ts";
import type { Page, Source } from "./paged.ts";
import { timelinePath } from "./paths.ts";
import { placesIn, type Place } from "./places.ts";
import { pageSize } from "./query.ts";

interface Bucket {
  sequence: number;
  /** The most closed buckets; 0: no cap. */
  slots: number;
  places: Place[];
}

/** A closed bucket with a listener. */
interface Closed {
  stop: () => void;
  /** undefined: no answer yet. null: it does not exist, or a newer bucket has its place in the ring. */
  bucket: Bucket | null | undefined;
  fromCache: boolean;
}

/**
 * Returns the places of a timeline in buckets. Costs a read for `open` and for each closed bucket of the page, and one for each
 * change of these.
 */
export function bucketPlaces(me: Me): Source<Place> {
  let open: Bucket | null = null;
  const oldest = ({ sequence, slots }: Bucket) => (slots > 0 ? Math.max(1, sequence - slots) : 1);
  const closedPath = (sequence: number, slots: number) =>
    doc(timelinePath(me.db, me.id), `past-${String(slots > 0 ? sequence % slots : sequence).padStart(8, "0")}`);

  const cut = (places: Place[], rest: boolean | undefined, fromCache = false): Page<Place> => ({
    items: places.slice(0, pageSize),
    more: places.length > pageSize || rest,
    fromCache,
  });

  return {
    me,
    first(changed, failed) {
      const closed = new Map<number, Closed>();
      let fromCache = true;

      const listen = (sequence: number, slots: number) => {
        const one: Closed = { stop: () => {}, bucket: undefined, fromCache: true };
        closed.set(sequence, one);
        one.stop = listenDoc(
          me,
          closedPath(sequence, slots),
          (found) => {
            const bucket = bucketOf(found);
            one.bucket = bucket?.sequence === sequence ? bucket : null;
            one.fromCache = found.metadata.fromCache;
            show();
          },
          failed,
        );
      };
      const show = () => {
        if (!open) return changed({ items: [], more: fromCache ? undefined : false, fromCache });
        const places = [...open.places];
        let missing = false; // a bucket is not in the cache, and the server has not answered
        const used = new Set<number>();
        let sequence = open.sequence - 1;
        for (; sequence >= oldest(open) && places.length < pageSize; sequence--) {
          used.add(sequence);
          if (!closed.has(sequence)) listen(sequence, open.slots);
          const { bucket, fromCache } = closed.get(sequence)!;
          if (bucket === undefined) return; // its listener calls show
          if (bucket === null) {
            missing = fromCache;
            sequence = 0;
            break;
          }
          places.push(...bucket.places);
        }
        for (const [other, one] of closed) {
          if (used.has(other)) continue;
          one.stop();
          closed.delete(other);
        }
        changed(cut(places, missing ? undefined : sequence >= oldest(open), fromCache));
      };
      const stop = listenDoc(
        me,
        doc(timelinePath(me.db, me.id), "open"),
        (found) => {
          open = bucketOf(found);
          fromCache = found.metadata.fromCache;
          show();
        },
        failed,
      );
      return () => {
        stop();
        for (const one of closed.values()) one.stop();
      };
    },

    async after(last, signal) {
      if (!open || !last) return null;
      me.check();
      const now = open;
      const places: Place[] = [];
      let sequence = Number(last.part);
      for (; sequence >= oldest(now) && places.length < pageSize; sequence--) {
        const bucket = sequence === now.sequence ? now : bucketOf(await until(signal, getDocFromServer(closedPath(sequence, now.slots))));
        if (bucket?.sequence !== sequence) return cut(places, false);
        places.push(...bucket.places.filter((place) => place.order < last.order));
      }
      return cut(places, sequence >= oldest(now));
    },
  };
}

/** Decodes a bucket; null: it does not exist, or is no bucket. */
function bucketOf(found: DocumentSnapshot): Bucket | null {
  const data = found.data() ?? {};
  const { sequence, slots } = data;
  if (!Number.isSafeInteger(sequence)) return null;
  return { sequence, slots: Number.isSafeInteger(slots) ? Math.max(0, slots) : 0, places: placesIn(String(sequence).padStart(16, "0"), data, Date.now()) };
}
