/** Feed is asked, and hears of no edit, deletion or follow. */
import type { Entry, Paged } from "relationindex-client";
import type { Context } from "../context";

/** ms that the functions usually take from a write to the feed. */
const usual = 1_500;

/** Says that something of mine may have changed a feed. */
export const wrote = ({ writes }: Context): void => writes.set(writes.get() + 1);

/** Reads the first page of a list again, a moment after each such write. Returns how to stop. */
export function refreshAfterWrites({ writes }: Context, list: Paged<Entry>): () => void {
  const before = writes.get();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = writes.watch((now) => {
    if (now === before) return;
    clearTimeout(timer);
    timer = setTimeout(() => list.refresh(), usual);
  });
  return () => {
    stop();
    clearTimeout(timer);
  };
}
