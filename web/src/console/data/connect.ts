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

/** Connects. Throws an error if config.json is not from `relationindex dev`. */
export function connect({ dev, emulators, ...config }: Config): Db {
  if (!dev || !emulators) throw new Error("This config.json is one of a deployed project, where the console is not let in.");
  const firestore = getFirestore(initializeApp(config.firebase), config.database ?? "(default)");
  // The SDK sends a string unchanged: "Authorization: Bearer owner". The emulator treats this token as an administrator's.
  const { hostname, port } = new URL(`http://${emulators.firestoreHost}`);
  connectFirestoreEmulator(firestore, hostname, Number(port), { mockUserToken: "owner" });
  return {
    firestore,
    collections: dev.collections,
    capacity: config.capacity ?? 10_000,
    budgetBytes: dev.followersBytes,
    timelines: config.timelines !== undefined,
    notifications: config.notifications ?? false,
  };
}
