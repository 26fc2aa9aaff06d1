/** The pace: by rules that have one, an act is in one batch with a write of its rate, which counts it. */
import { increment, serverTimestamp, setDoc, writeBatch, type Firestore, type WriteBatch } from "firebase/firestore";
import { ratePath } from "./paths.ts";

/** The kinds of acts that are counted apart. */
export type Kind = "posts" | "follows" | "accepts" | "comments" | "likes" | "hidden" | "filters" | "profiles";

/** A count begins an hour after the last began, at the earliest. */
const window = 3_600_000;

let whoActs: () => string | undefined = () => undefined;

/** When this page last asked for a count to begin, by the rate's path. */
const began = new Map<string, number>();

/** Gives all acts of this page a rate, of whoever is signed in. */
export function keepPace(uid: () => string | undefined): void {
  whoActs = uid;
}

/**
 * Writes an act, what `fill` puts into the batch, and with a pace its rate: one write more, and another each hour. `id` is
 * the act's among those of its kind: docs/rules.md has them. It waits as the SDK's own writes do. Refused
 * (permission-denied) if there were too many.
 */
export async function act(db: Firestore, kind: Kind, id: string, fill: (batch: WriteBatch) => unknown): Promise<void> {
  const batch = writeBatch(db);
  fill(batch);
  const me = whoActs();
  if (me === undefined) return batch.commit();
  const rate = ratePath(db, me, kind);
  if (Date.now() - (began.get(rate.path) ?? 0) >= window) {
    began.set(rate.path, Date.now());
    setDoc(rate, { start: serverTimestamp(), n: 0 }).catch(() => {}); // refused within the hour: then the last count goes on
  }
  batch.set(rate, { ids: [id], at: serverTimestamp(), n: increment(1) }, { merge: true });
  try {
    await batch.commit();
  } catch (error) {
    began.delete(rate.path); // the next act asks again
    throw error;
  }
}
