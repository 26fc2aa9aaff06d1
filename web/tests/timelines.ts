// A system whose functions keep timelines, beside the one that all tests share: a database has one layout.
import { type DocumentData, type Firestore, Timestamp } from "firebase/firestore";

import { client, idle, profile, write } from "./firestore.ts";
import { type Addresses, start } from "./system.ts";

export interface Timelines {
  at: Addresses;
  /** The client of the owner. */
  db: Firestore;
  write(documents: Record<string, DocumentData>): Promise<void>;
  idle(): Promise<void>;
  /**
   * Publishes posts of an author one after the other, dated in minutes of 2026. Returns their ids when readers have the posts.
   */
  publish(author: string, ...minutes: number[]): Promise<string[]>;
  stop(): Promise<void>;
}

/** startTimelines starts the system. Ada has the followers bob and cy. */
export async function startTimelines(layout: "items" | "buckets" | "days", more: Record<string, string> = {}): Promise<Timelines> {
  const { addresses: at, stop } = await start({ RELATIONINDEX_FEEDS: `relations,${layout}`, ...more });
  const db = client("owner", at.project, at);
  const system: Timelines = {
    at,
    db,
    stop,
    write: (documents) => write(documents, db),
    idle: () => idle(at),
    async publish(author, ...minutes) {
      const ids = minutes.map((minute) => `${author}-${String(minute).padStart(5, "0")}`);
      for (const [n, minute] of minutes.entries()) {
        const createdAt = Timestamp.fromMillis(Date.UTC(2026, 0, 1) + minute * 60_000);
        await system.write({ [`posts/${ids[n]}`]: { userId: author, audience: author, hidden: false, createdAt, text: `Minute ${minute}` } });
        await system.idle();
      }
      return ids;
    },
  };
  await system.write({ "users/ada": profile("Ada"), "users/bob": profile("Bob"), "users/cy": profile("Cy") });
  await system.write({
    "users/ada/followers/bob": { createdAt: Timestamp.fromMillis(2000) },
    "users/ada/followers/cy": { createdAt: Timestamp.fromMillis(1000) },
  });
  await system.idle();
  return system;
}
