/** A Firestore query as a list: a listener on its first page, and the pages below it by cursor. */
import { getDocsFromServer, limit, onSnapshot, query, startAfter, type Query, type QueryDocumentSnapshot } from "firebase/firestore";
import type { Source } from "./paged.ts";
import type { Item } from "./timeline.ts";

/**
 * Costs one read for each document that is shown, and one for each change on the first page; within half an hour the
 * persistent cache spares those that have not changed. Offline it has the first page from the cache. The pages below come
 * from the server or fail: the cache may have any part of them, and its end is not the list's.
 */
export function querySource<T extends Item>(all: Query, size: number, item: (found: QueryDocumentSnapshot) => T): Source<T> {
  const cursors = new Map<string, QueryDocumentSnapshot>();
  const page = (docs: QueryDocumentSnapshot[]) => {
    for (const found of docs) cursors.set(found.id, found);
    return { items: docs.map(item), more: docs.length === size };
  };
  return {
    first(changed, failed) {
      let below = false; // what the server has said: offline, a page may lose what is deleted here, and find no more
      return onSnapshot(query(all, limit(size)), { includeMetadataChanges: true }, (found) => {
        const { items, more } = page(found.docs);
        below = more || (below && found.metadata.fromCache);
        changed({ items, more: below });
      }, failed);
    },
    async after(last) {
      const cursor = cursors.get(last.id);
      if (!cursor) return null;
      return page((await getDocsFromServer(query(all, startAfter(cursor), limit(size)))).docs);
    },
  };
}
