/** The pace: if the rules have one, each act is in one batch with a write of its rate, which counts the act. */
import {
  deleteDoc,
  getDoc,
  getDocFromServer,
  increment,
  serverTimestamp,
  setDoc,
  waitForPendingWrites,
  writeBatch,
  type DocumentReference,
  type DocumentSnapshot,
  type WriteBatch,
} from "firebase/firestore";
import { ClientError, codeOf, type Reason } from "./errors.ts";
import type { Fields } from "./fields.ts";
import type { Me } from "./me.ts";
import { postPath, ratePath, userPath } from "./paths.ts";

/** The kinds of acts; each kind has its own count; "": none. */
export type Kind = "posts" | "follows" | "accepts" | "comments" | "likes" | "hidden" | "filters" | "profiles" | "";

/** The least time between the beginnings of two counts, in ms. */
const window = 3_600_000;

/** Whom an act is about, to find out why it was rejected. */
export interface About {
  account?: string;
  /** The act requires that the account is open. */
  open?: boolean;
  post?: string;
}

/**
 * Writes an act: the writes that `fill` adds to the batch. With a pace, it also writes the act's rate: one more write, and another
 * each hour. `id` is the act's id within its kind: see docs/rules.md. Offline, the write waits. act may call `fill` twice.
 *
 * Rejects with permission-denied and a reason: that costs up to two reads more. The hour of the pace may be over, or another tab may
 * have begun it: so act begins a new count after a rejection, and tries once more.
 */
export async function act(me: Me, kind: Kind, id: string, fill: (batch: WriteBatch) => unknown, about: About = {}): Promise<void> {
  me.check();
  try {
    await commit(me, kind, id, fill);
  } catch (error) {
    throw codeOf(error) === "permission-denied" ? await explained(me, kind, error, about) : error;
  }
}

async function commit(me: Me, kind: Kind, id: string, fill: (batch: WriteBatch) => unknown): Promise<void> {
  if (!me.client.config.pace || kind === "") {
    const batch = writeBatch(me.db);
    fill(batch);
    return batch.commit();
  }
  const rate = ratePath(me.db, me.id, kind);
  for (;;) {
    const begins = Date.now() - (me.began.get(rate.path) ?? 0) >= window;
    if (begins) {
      me.began.set(rate.path, Date.now());
      setDoc(rate, { start: serverTimestamp(), n: 0 }).catch(() => {}); // rejected within the hour: the last count continues
    }
    const batch = writeBatch(me.db);
    fill(batch);
    batch.set(rate, { ids: [id], at: serverTimestamp(), n: increment(1) }, { merge: true });
    try {
      return await batch.commit();
    } catch (error) {
      me.began.delete(rate.path); // the next try begins a count
      if (begins || codeOf(error) !== "permission-denied") throw error;
    }
  }
}

/** Returns the error with why the act was not allowed, as far as the account may read that. */
async function explained(me: Me, kind: Kind, error: unknown, { account, open, post }: About): Promise<ClientError> {
  /** null: it may not be read. undefined: nobody knows. */
  const look = (document: DocumentReference) =>
    getDocFromServer(document).catch((failed: unknown) => (codeOf(failed) === "permission-denied" ? null : undefined));
  const [own, other] = await Promise.all([
    look(userPath(me.db, me.id)),
    account ? look(userPath(me.db, account)) : post ? look(postPath(me.db, post)) : undefined,
  ]);
  const reason: Reason =
    own && !own.exists() && kind !== "profiles"
      ? "no-profile"
      : post && other === null
        ? "gone" // rejected
        : other && !other.exists()
          ? "gone"
          : open && other?.get("closed") === true
            ? "closed"
            : "refused";
  return new ClientError("permission-denied", error instanceof Error ? error.message : String(error), reason, error);
}

/**
 * Does an act whose document never changes, and deletes another in the same batch. The rules reject a second one, because its time
 * would change: then the document is read, and if it exists, only the other is still to be deleted.
 */
export async function once(
  me: Me,
  kind: Kind,
  id: string,
  document: DocumentReference,
  data: Fields,
  about: About = {},
  ended?: DocumentReference,
): Promise<void> {
  me.check();
  try {
    await commit(me, kind, id, (batch) => {
      batch.set(document, data);
      if (ended) batch.delete(ended);
    });
  } catch (error) {
    if (codeOf(error) !== "permission-denied") throw error;
    if (!(await stored(document))?.exists()) throw await explained(me, kind, error, about);
    if (ended) await deleteDoc(ended);
  }
}

/**
 * Reads a document as the server has it; null: it cannot be read. First, all waiting writes end: the SDK shows them as if they were
 * done, also a second one that will be rejected too.
 */
export async function stored(document: DocumentReference): Promise<DocumentSnapshot | null> {
  return waitForPendingWrites(document.firestore)
    .then(() => getDoc(document))
    .catch(() => null);
}
