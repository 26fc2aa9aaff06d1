/** Connection of the console to the emulator. It is an administrator's, so no rule applies to it. */
import { initializeApp } from "firebase/app";
import { connectFirestoreEmulator, type Firestore, getFirestore } from "firebase/firestore";
import type { Collections, Config } from "../../shared/config";

/** The connection and the settings that every part of the console works with. */
export interface Db {
  firestore: Firestore;
  collections: Collections;
  /** The most followers of an index document. */
  capacity: number;
  /** The most bytes of ids in an index document. */
  budgetBytes: number;
  /** Whether the functions keep timelines. */
  timelines: boolean;
  notifications: boolean;
}

/** Connects. Returns undefined if config.json is not from `relationindex dev`. */
export function connect(config: Config): Db | undefined {
  if (!config.dev || !config.emulators) return undefined;
  const firestore = getFirestore(initializeApp(config.firebase), config.database ?? "(default)");
  // The SDK sends a string unchanged: "Authorization: Bearer owner". The emulator treats this token as an administrator's.
  const { hostname, port } = new URL(`http://${config.emulators.firestoreHost}`);
  connectFirestoreEmulator(firestore, hostname, Number(port), { mockUserToken: "owner" });
  const { collections, followersBytes } = config.dev;
  return {
    firestore,
    collections,
    capacity: config.capacity ?? 10_000,
    budgetBytes: followersBytes,
    timelines: config.timelines !== undefined,
    notifications: config.notifications ?? false,
  };
}
