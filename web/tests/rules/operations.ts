// The operations of a client, as values: the table lists them, and a lane runs them. They are the JS SDK's own calls.
import {
  type CollectionReference,
  type Firestore,
  type Query,
  collection,
  collectionGroup,
  deleteDoc,
  doc,
  getCountFromServer,
  getDocFromServer,
  getDocsFromServer,
  setDoc,
  updateDoc,
  writeBatch,
} from "firebase/firestore";

import type { Request, Sender } from "./request.ts";
import type { Fields } from "./world.ts";

export interface Operation {
  /** The documents that the operation writes, if any. They are restored if the operation was allowed. */
  writes?: string[];
  /** Whether the written documents must not exist before. */
  absent?: boolean;
  /** Documents that replace the world's during the operation. */
  there?: Record<string, Fields>;
  run(db: Firestore, send: Sender): Promise<unknown>;
}

type Select = (db: Firestore) => Query;

export const get = (path: string): Operation => ({ run: (db) => getDocFromServer(doc(db, path)) });

/** list runs a query as the SDKs run all queries: by a listener that ends with its first answer. */
export const list = (select: Select): Operation => ({ run: (db) => getDocsFromServer(select(db)) });

export const count = (select: Select): Operation => ({ run: (db) => getCountFromServer(select(db)) });

/** request sends a query, or an aggregation, that no SDK makes. */
export const request = (asked: Request): Operation => ({ run: (_db, send) => send(asked) });

/** all selects a collection, without a filter and without a limit. */
export const all =
  (path: string) =>
  (db: Firestore): CollectionReference =>
    collection(db, path);

/** group selects all collections with an id, at any path. */
export const group =
  (id: string): Select =>
  (db) =>
    collectionGroup(db, id);

/** create writes a document that does not exist. */
export const create = (path: string, data: Fields): Operation => ({ ...set(path, data), absent: true });

/** set replaces a whole document that exists. */
export const set = (path: string, data: Fields): Operation => ({
  writes: [path],
  run: (db) => setDoc(doc(db, path), data),
});

export const merge = (path: string, data: Fields): Operation => ({
  writes: [path],
  run: (db) => setDoc(doc(db, path), data, { merge: true }),
});

/** update changes fields of a document that exists. */
export const update = (path: string, data: Fields): Operation => ({
  writes: [path],
  run: (db) => updateDoc(doc(db, path), data),
});

export const remove = (path: string): Operation => ({ writes: [path], run: (db) => deleteDoc(doc(db, path)) });

/** replace deletes a document and writes it again in the same commit. */
export const replace = (path: string, data: Fields): Operation => ({
  writes: [path],
  run: (db) => writeBatch(db).delete(doc(db, path)).set(doc(db, path), data).commit(),
});

/** batch writes documents in one commit, in this order; null deletes one. */
export const batch = (writes: Record<string, Fields | null>): Operation => ({
  writes: Object.keys(writes),
  run: (db) => {
    const all = writeBatch(db);
    for (const [path, data] of Object.entries(writes)) data ? all.set(doc(db, path), data) : all.delete(doc(db, path));
    return all.commit();
  },
});
