/** Notifications: documents in users/{me}/notifications, which the functions write when others act. */
import { orderBy, query, Timestamp, type Query, type QueryDocumentSnapshot } from "firebase/firestore";
import { textIn, textsIn } from "./fields.ts";
import type { Me } from "./me.ts";
import type { Source } from "./paged.ts";
import { notificationsPath } from "./paths.ts";
import { pageSize, querySource, timeOrder } from "./query.ts";

export const verbs = ["follow", "request", "like", "comment", "mention"] as const;
export type Verb = (typeof verbs)[number];

export interface Notification {
  id: string;
  order: string;
  /** undefined: a verb of a later release. */
  verb: Verb | undefined;
  /** The post of a like or comment, the newest post of mentions; for follows, the day. */
  object: string;
  /** The number of accounts that acted; of comments; of an author's posts that mention me. */
  count: number;
  /** The newest of these accounts, at most five. */
  actors: string[];
  /** When the notification last grew, by the server's clock. */
  at: Timestamp;
}

/** Notifications, newest first: one read for each, and one for each change of the newest 20. */
export const notifications = (me: Me): Source<Notification> => querySource(me, newest(me), pageSize, toNotification);

export const newest = (me: Me): Query => query(notificationsPath(me.db, me.id), orderBy("at", "desc"));

function toNotification(found: QueryDocumentSnapshot): Notification {
  const data = found.data();
  const at = data.at instanceof Timestamp ? data.at : new Timestamp(0, 0);
  return {
    id: found.id,
    order: timeOrder(found, "at"),
    verb: verbs.find((verb) => verb === data.verb),
    object: textIn(data, "object"),
    count: Number.isSafeInteger(data.count) && data.count > 0 ? data.count : 1,
    actors: textsIn(data, "actors"),
    at,
  };
}
