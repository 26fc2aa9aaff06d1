/** The pace: by rules that have one, an act is in one batch with a write of its rate, which counts it. */
import { increment, serverTimestamp, setDoc, writeBatch, type Firestore, type WriteBatch } from "firebase/firestore";
import { codeOf } from "./errors.ts";
import { ratePath } from "./paths.ts";

/** The kinds of acts that are counted apart. */
export type Kind = "posts" | "follows" | "accepts" | "comments" | "likes" | "hidden" | "filters" | "profiles";

/** A count begins an hour after the last began, at the earliest. */
const window = 3_600_000;

/** Of each database that has a pace, who is signed in, and when this page last asked for a count to begin, by the rate's path. */
const paces = new WeakMap<Firestore, { uid: () => string | undefined; began: Map<string, number> }>();

/** Gives all acts on a database a rate, of whoever is signed in. connect does it where the rules have a pace. */
export function keepPace(db: Firestore, uid: () => string | undefined): void {
  paces.set(db, { uid, began: new Map() });
}

/**
 * Writes an act, what `fill` puts into the batch, and with a pace its rate: one write more, and another each hour. `id` is
 * the act's among those of its kind: docs/rules.md has them. It waits as the SDK's own writes do. `fill` may be called twice.
 *
 * Refused (permission-denied) if there were too many. An hour that this page began may be over by then, or another tab's: so a
 * refused act is tried once more, after a count that has begun for it.
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
      setDoc(rate, { start: serverTimestamp(), n: 0 }).catch(() => {}); // refused within the hour: then the last count goes on
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
