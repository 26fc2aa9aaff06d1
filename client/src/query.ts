/** A Firestore query as a list: a listener on its first page, and the pages below it by cursor. */
import { getDocsFromServer, limit, onSnapshot, query, startAfter, Timestamp, type Query, type QueryDocumentSnapshot } from "firebase/firestore";
import type { Source } from "./paged.ts";
import type { Item } from "./timeline.ts";

/**
 * Costs one read for each document that is shown, and one for each change on the first page; within half an hour the
 * persistent cache spares those that have not changed. Offline it has the first page from the cache. The pages below come
 * from the server or fail: the cache may have any part of them, and its end is not the list's.
 */
export function querySource<T extends Item>(all: Query, size: number, item: (found: QueryDocumentSnapshot) => T): Source<T> {
  const cursors = new Map<string, QueryDocumentSnapshot>();
  const itemsOf = (docs: QueryDocumentSnapshot[]) => docs.map((found) => {
    const made = item(found);
    // Without the server's time it is no place to go on from: the SDK throws.
    if (!(found.metadata.hasPendingWrites && made.order.startsWith(pending))) cursors.set(found.id, found);
    return made;
  });
  return {
    first(changed, failed) {
      const more = knownMore();
      return onSnapshot(query(all, limit(size)), { includeMetadataChanges: true },
        ({ docs, metadata }) => changed({ items: itemsOf(docs), more: more(docs.length === size, metadata.fromCache) }), failed);
    },
    async after(last) {
      const cursor = cursors.get(last.id);
      if (!cursor) return null;
      const { docs } = await getDocsFromServer(query(all, startAfter(cursor), limit(size)));
      return { items: itemsOf(docs), more: docs.length === size };
    },
  };
}

/**
 * Of a page that is listened to, whether there is more below it: of a short one, only the server knows. Until it has answered,
 * undefined. Offline it is as the server has said: a page may lose what is deleted here, and find no more.
 */
export function knownMore(): (full: boolean, fromCache: boolean) => boolean | undefined {
  let said: boolean | undefined;
  return (full, fromCache) => (said = full || (fromCache ? said : false));
}

const pending = "~";

/**
 * The order of a query by a time, as text: the time to the nanosecond, then the document's name. A time that the server has
 * yet to give comes after all others, as the SDK has it, and not where this device's clock would put it.
 */
export function timeOrder(found: QueryDocumentSnapshot, field: string): string {
  const time: unknown = found.get(field, { serverTimestamps: "estimate" });
  return `${time instanceof Timestamp ? `${found.get(field) === null ? pending : ""}${time.valueOf()}` : ""} ${found.id}`;
}
