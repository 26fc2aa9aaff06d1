/** The pace: if the rules have one, each act is in one batch with a write of its rate, which counts the act. */
import { deleteDoc, getDoc, increment, serverTimestamp, setDoc, waitForPendingWrites, writeBatch, type DocumentReference, type DocumentSnapshot, type Firestore, type WriteBatch } from "firebase/firestore";
import { codeOf } from "./errors.ts";
import { ratePath } from "./paths.ts";

/** The kinds of acts; each kind has its own count. */
export type Kind = "posts" | "follows" | "accepts" | "comments" | "likes" | "hidden" | "filters" | "profiles";

/** The least time between the beginnings of two counts, in ms. */
const window = 3_600_000;

/** For each database with a pace: the signed-in account, and when this page last began a count, by the rate's path. */
const paces = new WeakMap<Firestore, { uid: () => string | undefined; began: Map<string, number> }>();

/** Makes act write the signed-in account's rates on this database. connect calls it if config.pace is set. */
export function keepPace(db: Firestore, uid: () => string | undefined): void {
  paces.set(db, { uid, began: new Map() });
}

/**
 * Writes an act: the writes that `fill` adds to the batch. With a pace, it also writes the act's rate: one more write, and another
 * each hour. `id` is the act's id within its kind: see docs/rules.md. Offline, the write waits. act may call `fill` twice.
 *
 * Rejects with permission-denied if the account did too much within the hour. The hour may be over, or another tab may have begun
 * it: so act begins a new count after a rejection, and tries once more.
 */
export async function act(db: Firestore, kind: Kind, id: string, fill: (batch: WriteBatch) => unknown): Promise<void> {
  const pace = paces.get(db);
  const me = pace?.uid();
  if (!pace || me === undefined) {
    const batch = writeBatch(db);
    fill(batch);
    return batch.commit();
  }
  const rate = ratePath(db, me, kind);
  for (;;) {
    const begins = Date.now() - (pace.began.get(rate.path) ?? 0) >= window;
    if (begins) {
      pace.began.set(rate.path, Date.now());
      setDoc(rate, { start: serverTimestamp(), n: 0 }).catch(() => {}); // rejected within the hour: the last count continues
    }
    const batch = writeBatch(db);
    fill(batch);
    batch.set(rate, { ids: [id], at: serverTimestamp(), n: increment(1) }, { merge: true });
    try {
      return await batch.commit();
    } catch (error) {
      pace.began.delete(rate.path); // the next try begins a count
      if (begins || codeOf(error) !== "permission-denied") throw error;
    }
  }
}

/**
 * Runs a write of a document that never changes, and deletes another in the same batch. The rules reject a second one, because its
 * time would change: then the document is read, and if it exists, only the other is still to be deleted.
 */
export async function once(document: DocumentReference, write: () => Promise<void>, ended?: DocumentReference): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (codeOf(error) !== "permission-denied" || !(await stored(document))?.exists()) throw error;
    if (ended) await deleteDoc(ended);
  }
}

/**
 * Reads a document as the server has it; null: it cannot be read. First, all waiting writes end: the SDK shows them as if they were
 * done, also a second one that will be rejected too.
 */
export async function stored(document: DocumentReference): Promise<DocumentSnapshot | null> {
  return waitForPendingWrites(document.firestore).then(() => getDoc(document)).catch(() => null);
}
