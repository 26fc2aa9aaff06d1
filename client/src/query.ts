/** A Firestore query as a list: a listener on the first page, and cursors for later pages. */
import { getDocsFromServer, limit, query, startAfter, Timestamp, type Query, type QueryDocumentSnapshot } from "firebase/firestore";
import { until } from "./errors.ts";
import { listenQuery } from "./listen.ts";
import type { Me } from "./me.ts";
import type { Source } from "./paged.ts";
import type { Item } from "./timeline.ts";

/** The items of a page. */
export const pageSize = 20;

/**
 * Returns a query as a source. It costs one read for each document, and one for each change on the first page. If a listener
 * starts again within half an hour, unchanged documents in the persistent cache cost no read. Offline, the first page comes from
 * the cache. Later pages come from the server or fail: the cache may lack documents, so its end is not the list's end.
 */
export function querySource<T extends Item>(me: Me, all: Query, size: number, item: (found: QueryDocumentSnapshot) => T): Source<T> {
  const cursors = new Map<string, QueryDocumentSnapshot>();
  const itemsOf = (docs: QueryDocumentSnapshot[]) =>
    docs.map((found) => {
      const made = item(found);
      // A document without the server's time cannot be a cursor: the SDK throws.
      if (!(found.metadata.hasPendingWrites && made.order.startsWith(pending))) cursors.set(found.id, found);
      return made;
    });
  return {
    me,
    pathOf: ({ id }) => cursors.get(id)?.ref.path,
    first(changed, failed) {
      const more = knownMore();
      return listenQuery(
        me,
        query(all, limit(size)),
        ({ docs, metadata }) => changed({ items: itemsOf(docs), more: more(docs.length === size, metadata.fromCache), fromCache: metadata.fromCache }),
        failed,
      );
    },
    async after(last, signal) {
      const cursor = last && cursors.get(last.id);
      if (!cursor) return null;
      me.check();
      const { docs } = await until(signal, getDocsFromServer(query(all, startAfter(cursor), limit(size))));
      return { items: itemsOf(docs), more: docs.length === size };
    },
  };
}

/**
 * Returns a function that reports whether a first page has documents below it; undefined: not known yet. After a full page, it
 * returns true: more may follow. For a short page, only the server's answer counts: offline, a page gets short when this device
 * deletes a document.
 */
export function knownMore(): (full: boolean, fromCache: boolean) => boolean | undefined {
  let said: boolean | undefined;
  return (full, fromCache) => (said = full || (fromCache ? said : false));
}

export const pending = "~";

/**
 * Returns a document's place in a query by a time, as text: the time to the nanosecond, then the document's name. A pending
 * server time is the latest, as in the SDK, whatever this device's clock says.
 */
export function timeOrder(found: QueryDocumentSnapshot, field: string): string {
  const time: unknown = found.get(field, { serverTimestamps: "estimate" });
  return `${time instanceof Timestamp ? `${found.get(field) === null ? pending : ""}${time.valueOf()}` : ""} ${found.id}`;
}
