/** How much of a timeline is new to its reader: without counting documents, from what is shown. Pure. */
import type { Entry } from "./entry.ts";

/** The number is exact up to here, a page. */
const mostCounted = 20;

export interface Unread {
  count: number;
  /** There may be more than count. */
  more: boolean;
  /** The entry under the line between new and old; "" without a line. */
  line: string;
  /** The time of the newest entry, in microseconds since 1970. */
  newest: number;
}

/** more: whether there is something below these. Buckets are in the order in which entries came: the line is below all new ones. */
export function unreadOf(entries: Entry[], more: boolean | undefined, readAt: number): Unread {
  const isNew = entries.map(({ place }) => place !== undefined && place.at > readAt);
  const count = isNew.filter(Boolean).length;
  const end = isNew.lastIndexOf(true) + 1;
  return {
    count: Math.min(count, mostCounted),
    more: count > mostCounted || (count > 0 && end === entries.length && more !== false),
    line: count > 0 ? (entries[end]?.id ?? "") : "",
    newest: Math.max(0, ...entries.map(({ place }) => place?.at ?? 0)),
  };
}
