/**
 * Listeners that go on. Firestore ends a listener at its first error: a quota, App Check, a right that was lost for a moment.
 */
import { onSnapshot, type DocumentReference, type DocumentSnapshot, type Query, type QuerySnapshot } from "firebase/firestore";
import { ClientError } from "./errors.ts";
import type { Me } from "./me.ts";
import { isHidden } from "./page.ts";

/** The wait after the first error, and the longest, in ms. */
const first = 2_000,
  longest = 60_000;

/** The most errors in a row after which nobody tries again by themselves. */
const most = 6;

/** Returns the wait after a number of errors in a row: doubled each time, and up to a half more, so that clients do not come at once. */
export const backoff = (errors: number): number => Math.min(longest, first * 2 ** (errors - 1)) * (1 + Math.random() / 2);

/**
 * Listens while the account is signed in, because the SDK listens for whoever is. Begins again after each error; while the page is
 * hidden, only when that has ended; after `most` errors in a row, once each time the page is looked at again, because each try costs the
 * reads of the rules. `failed` is called with each error. What `next` throws
 * goes to failed too.
 */
function listen<S extends { metadata: { fromCache: boolean } }>(
  me: Me,
  start: (next: (found: S) => void, failed: (error: Error) => void) => () => void,
  next: (found: S) => void,
  failed: (error: Error) => void,
): () => void {
  let stop = () => {};
  let timer: ReturnType<typeof setTimeout> | undefined;
  let errors = 0,
    waits = false,
    ended = false;
  const begin = () => {
    waits = false;
    stop = start(
      (found) => {
        if (!found.metadata.fromCache) errors = 0;
        else if (errors > 0) return; // the cache answers also for what the server rejects
        try {
          next(found);
        } catch (error) {
          failed(error as Error);
        }
      },
      (error) => {
        if (ended) return;
        waits = true;
        if (++errors < most) timer = setTimeout(again, backoff(errors)); // before failed, which may stop it
        failed(error);
      },
    );
  };
  const again = () => {
    timer = undefined;
    if (waits && !isHidden() && me.isCurrent) begin();
  };
  const stopReturn = me.onReturn(
    () => {
      if (timer === undefined) again();
    },
    () => {
      clearTimeout(timer);
      timer = undefined;
      waits = true; // goes on when the account is back
      stop();
    },
  );
  if (me.isCurrent) begin();
  else {
    waits = true;
    queueMicrotask(() => {
      if (!ended) failed(new ClientError("unauthenticated", `${me.id} is not signed in`));
    });
  }
  return () => {
    ended = true;
    waits = false;
    clearTimeout(timer);
    stopReturn();
    stop();
  };
}

const options = { includeMetadataChanges: true };

/** Listens to a document, with changes of metadata. See listen. */
export function listenDoc(me: Me, document: DocumentReference, next: (found: DocumentSnapshot) => void, failed: (error: Error) => void = () => {}): () => void {
  return listen<DocumentSnapshot>(me, (now, error) => onSnapshot(document, options, now, error), next, failed);
}

/** Listens to a query, with changes of metadata. See listen. */
export function listenQuery(me: Me, query: Query, next: (found: QuerySnapshot) => void, failed: (error: Error) => void = () => {}): () => void {
  return listen<QuerySnapshot>(me, (now, error) => onSnapshot(query, options, now, error), next, failed);
}
