/** Notifications: documents in users/{me}/notifications, which the functions write when others act. */
import { orderBy, query, Timestamp, type Firestore, type Query, type QueryDocumentSnapshot } from "firebase/firestore";
import { Paged } from "./paged.ts";
import { notificationsPath } from "./paths.ts";
import { querySource, timeOrder } from "./query.ts";

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

const pageSize = 20;

/** Notifications, newest first: one read for each, and one for each change of the newest 20. */
export const notifications = (db: Firestore, me: string): Paged<Notification> => new Paged(querySource(newest(db, me), pageSize, toNotification));

export const newest = (db: Firestore, me: string): Query => query(notificationsPath(db, me), orderBy("at", "desc"));

function toNotification(found: QueryDocumentSnapshot): Notification {
  const data = found.data();
  const at = data.at instanceof Timestamp ? data.at : new Timestamp(0, 0);
  return {
    id: found.id,
    order: timeOrder(found, "at"),
    verb: verbs.find((verb) => verb === data.verb),
    object: typeof data.object === "string" ? data.object : "",
    count: typeof data.count === "number" ? data.count : 1,
    actors: Array.isArray(data.actors) ? data.actors.filter((one): one is string => typeof one === "string") : [],
    at,
  };
}
