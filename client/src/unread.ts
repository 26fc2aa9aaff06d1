/** The number of new entries in a timeline, counted from the shown entries, without reads. */
import type { Entry } from "./entry.ts";

/** The highest exact count: a page. */
const mostCounted = 20;

export interface Unread {
  count: number;
  /** There may be more new entries than count. */
  more: boolean;
  /** The entry below the line between new and old entries; "": no line. */
  line: string;
  /** The time of the newest entry, in microseconds since 1970. */
  newest: number;
}

/** more: whether there are entries below these. Buckets are ordered by arrival, so the line is below all new entries. */
export function unreadOf(entries: Entry<unknown>[], more: boolean | undefined, readAt: number): Unread {
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
