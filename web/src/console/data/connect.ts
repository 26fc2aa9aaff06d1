/** The console's own connection: an administrator of the emulator, whom no rule binds. */
import { initializeApp } from "firebase/app";
import { connectFirestoreEmulator, type Firestore, getFirestore } from "firebase/firestore";
import { hostPort } from "relationindex-client";
import type { Collections, Config } from "../../shared/config";

/** What every part of the console works with. */
export interface Db {
  firestore: Firestore;
  collections: Collections;
  /** The most followers of an index document. */
  capacity: number;
  /** The most bytes of ids in it. */
  budgetBytes: number;
  /** Whether there are any. */
  timelines: boolean;
  notifications: boolean;
}

/** Connects; undefined where config.json is not one of `relationindex dev`. */
export function connect(config: Config): Db | undefined {
  if (!config.dev || !config.emulators) return undefined;
  const firestore = getFirestore(initializeApp(config.firebase), config.database ?? "(default)");
  // A token that is a text is sent as it is: "Authorization: Bearer owner", which the emulator takes for an administrator.
  connectFirestoreEmulator(firestore, ...hostPort(config.emulators.firestoreHost), { mockUserToken: "owner" });
  const { collections, capacity, followersBytes, timelines } = config.dev;
  return { firestore, collections, capacity, budgetBytes: followersBytes, timelines: timelines !== undefined, notifications: config.notifications ?? false };
}
