/** Queries that stay open, and the counts of their documents. */
import { getCountFromServer, onSnapshot, type Query } from "firebase/firestore";
import { Value } from "relationindex-client";
import { useValue } from "relationindex-client/react";
import { type DependencyList, useMemo } from "react";
import type { Fields } from "./fields";

/** A value that comes from the server: nothing before the first answer, and why if it cannot be read. */
export interface Live<T> {
  value?: T;
  why?: string;
}

export type Stop = () => void;

/** Shows a value now and after each change, until stopped. */
export type Watch<T> = (show: (now: Live<T>) => void) => Stop;

/** Whether the server has answered any query. */
export const answered = new Value(false);

const nothing = () => () => {};

/** Watches while a component shows it. Other dependencies begin again, with nothing. */
export function useWatched<T>(watch: () => Watch<T> | false, dependencies: DependencyList): Live<T> {
  const value = useMemo(() => {
    const said: Value<Live<T>> = new Value<Live<T>>({}, () => (watch() || nothing)((now) => said.set({ ...said.get(), ...now })));
    return said;
    // biome-ignore lint/correctness/useExhaustiveDependencies: Biome checks them where useWatched is called
  }, dependencies);
  return useValue(value);
}

/** Watches the documents of queries: each once, when all queries have been answered. */
export const live =
  <T extends { id: string }>(read: (id: string, data: Fields) => T, ...queries: Query[]): Watch<T[]> =>
  (show) => {
    const known: T[][] = [];
    const stops = queries.map((query, n) =>
      onSnapshot(
        query,
        { includeMetadataChanges: true },
        (snapshot) => {
          // Before the server has answered, the cache is empty. That does not mean that there are no documents.
          if (snapshot.metadata.fromCache && !known[n]) return;
          known[n] = snapshot.docs.map((doc) => read(doc.id, doc.data()));
          answered.set(true);
          if (queries.every((_, n) => known[n])) show({ value: [...new Map(known.flat().map((d) => [d.id, d])).values()] });
        },
        (err) => show({ why: err.message }),
      ),
    );
    return () => stops.forEach((stop) => stop());
  };

/** The newest documents, and the number of all. */
export interface Counted<T> {
  shown: T[];
  count: number;
}

/** Watches the newest documents, and counts all each time that these change. */
export const counted =
  <T extends { id: string }>(read: (id: string, data: Fields) => T, { newest, all }: { newest: Query[]; all: Query }): Watch<Counted<T>> =>
  (show) => {
    let shown: T[] | undefined,
      count = 0;
    const draw = () => shown && show({ value: { shown, count: Math.max(count, shown.length) } });
    const counts = counter(all, (n) => {
      count = n;
      draw();
    });
    const stop = live(
      read,
      ...newest,
    )((now) => {
      if (now.why !== undefined) return show({ why: now.why });
      shown = now.value;
      draw();
      counts.again();
    });
    return () => (stop(), counts.stop());
  };

const countEveryMs = 1000;

/**
 * Counts the documents of a query each time `again` is called, at most once a second, and shows the newest count. A count that
 * fails is skipped: again is soon called once more.
 */
function counter(all: Query, show: (n: number) => void): { again: () => void; stop: Stop } {
  let busy = false,
    wanted = false,
    stopped = false;
  const again = async () => {
    wanted = true;
    if (busy) return;
    busy = true;
    while (wanted && !stopped) {
      wanted = false;
      const answer = await getCountFromServer(all).catch(() => undefined);
      if (answer && !stopped) show(answer.data().count);
      await new Promise((resolve) => setTimeout(resolve, countEveryMs));
    }
    busy = false;
  };
  return { again: () => void again(), stop: () => (stopped = true) };
}
