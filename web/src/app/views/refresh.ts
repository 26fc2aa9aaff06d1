/** Refresh of lists after the user's writes. Feed is polled, and does not report edits, deletions or follows as news. */
import type { Entry, Paged } from "relationindex-client";
import type { Context } from "../context";

/** The time in ms that the functions usually need to bring a write into the feed. */
const usual = 1_500;

/** Counts a write of the user's that may have changed a feed. */
export const wrote = ({ writes }: Context): void => writes.set(writes.get() + 1);

/** Reads the first page of a list again, a moment after each such write. Returns a function that ends this. */
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
