/** Queries that stay open, and the counts of their documents. */
import { getCountFromServer, onSnapshot, type Query, type QueryDocumentSnapshot } from "firebase/firestore";

/** The state of a value that comes from the server. */
export type Live<T> = { state: "loading" } | { state: "ready"; value: T } | { state: "failed"; why: string };

export const loading: Live<never> = { state: "loading" };

export type Stop = () => void;

let tellAnswered = () => {};
/** Resolves at the first answer of the server to any query. */
export const answered = new Promise<void>((resolve) => (tellAnswered = resolve));

/** Shows the documents of a query now and after each change, until stopped. */
export function live<T>(query: Query, decode: (id: string, data: Record<string, unknown>) => T, show: (now: Live<T[]>) => void): Stop {
  let known = false;
  return onSnapshot(
    query,
    { includeMetadataChanges: true },
    (snapshot) => {
      // Before the server has answered, the cache is empty. That does not mean that there are no documents.
      if (snapshot.metadata.fromCache && !known) return;
      known = true;
      tellAnswered();
      show({ state: "ready", value: snapshot.docs.map((doc: QueryDocumentSnapshot) => decode(doc.id, doc.data())) });
    },
    (err) => show({ state: "failed", why: err.message }),
  );
}

const countEveryMs = 1000;

/**
 * Counts the documents of a query each time `again` is called, at most once a second, and shows the newest count. A count that
 * fails is skipped: again is soon called once more.
 */
export function counter(all: Query, show: (n: number) => void): { again(): void; stop: Stop } {
  let busy = false,
    wanted = false,
    stopped = false;
  const again = async () => {
    wanted = true;
    if (busy) return;
    busy = true;
    while (wanted && !stopped) {
      wanted = false;
      const n = await getCountFromServer(all).then(
        (answer) => answer.data().count,
        () => undefined,
      );
      if (n !== undefined && !stopped) show(n);
      await new Promise((resolve) => setTimeout(resolve, countEveryMs));
    }
    busy = false;
  };
  return { again: () => void again(), stop: () => (stopped = true) };
}
