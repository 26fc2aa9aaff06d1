/** A Firestore query as a list: a listener on its first page, and the pages below it by cursor. */
import { getDocs, limit, onSnapshot, query, startAfter, type Query, type QueryDocumentSnapshot } from "firebase/firestore";
import type { Source } from "./paged";
import type { Item } from "./timeline";

/**
 * Costs one read for each document that is shown, and one for each change on the first page; within half an hour the
 * persistent cache spares those that have not changed. Offline it answers from the cache.
 */
export function querySource<T extends Item>(all: Query, size: number, item: (found: QueryDocumentSnapshot) => T): Source<T> {
  const cursors = new Map<string, QueryDocumentSnapshot>();
  const page = (docs: QueryDocumentSnapshot[]) => {
    for (const found of docs) cursors.set(found.id, found);
    return { items: docs.map(item), more: docs.length === size };
  };
  return {
    first: (changed, failed) =>
      onSnapshot(query(all, limit(size)), { includeMetadataChanges: true }, (found) => changed(page(found.docs)), failed),
    async after(last) {
      const cursor = cursors.get(last.id);
      if (!cursor) return null;
      return page((await getDocs(query(all, startAfter(cursor), limit(size)))).docs);
    },
  };
}
