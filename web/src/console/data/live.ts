/** Queries that stay open, and the counts of their documents. */
import { getCountFromServer, onSnapshot, type Query, type QuerySnapshot } from "firebase/firestore";
import { Value } from "relationindex-client";
import { useValue } from "relationindex-client/react";
import { type DependencyList, useMemo } from "react";
import type { Fields } from "./fields";

/** A value that comes from the server: nothing before the first answer, and why if it cannot be read. */
export type Live<T> = { value?: T; why?: string };

export type Stop = () => void;

/** Shows a value now and after each change, until stopped. */
export type Watch<T> = (show: (now: Live<T>) => void) => Stop;

type Read<T> = (id: string, data: Fields) => T;

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
  <T extends { id: string }>(read: Read<T>, ...queries: Query[]): Watch<T[]> =>
  (show) => {
    const known: T[][] = [];
    const heard = (n: number, { metadata, docs }: QuerySnapshot) => {
      // Before the server has answered, the cache is empty. That does not mean that there are no documents.
      if (metadata.fromCache && !known[n]) return;
      known[n] = docs.map((doc) => read(doc.id, doc.data()));
      answered.set(true);
      if (queries.every((_, n) => known[n])) show({ value: [...new Map(known.flat().map((d) => [d.id, d])).values()] });
    };
    const failed = (error: Error) => show({ why: error.message });
    const stops = queries.map((query, n) => onSnapshot(query, { includeMetadataChanges: true }, (found) => heard(n, found), failed));
    return () => stops.forEach((stop) => stop());
  };

const countEveryMs = 1000;

/** Watches the newest documents, and counts all, at most once a second, each time that these change. */
export const counted =
  <T extends { id: string }>(read: Read<T>, newest: Query[], all: Query): Watch<{ shown: T[]; count: number }> =>
  (show) => {
    let shown: T[] | undefined,
      count = 0,
      last = 0,
      wanted = false,
      stopped = false,
      timer: ReturnType<typeof setTimeout> | undefined;
    const draw = () => shown && show({ value: { shown, count: Math.max(count, shown.length) } });
    const ask = async () => {
      wanted = false;
      last = Date.now();
      const answer = await getCountFromServer(all).catch(() => undefined); // the next change asks again
      count = answer?.data().count ?? count;
      timer = undefined;
      draw();
      if (wanted && !stopped) later();
    };
    const later = () => {
      wanted = true;
      timer ??= setTimeout(ask, Math.max(0, last + countEveryMs - Date.now()));
    };
    const watch = live(read, ...newest);
    const stop = watch((now) => {
      if (now.why !== undefined) return show({ why: now.why });
      shown = now.value;
      draw();
      later();
    });
    return () => {
      stopped = true;
      stop();
      clearTimeout(timer);
    };
  };
