/** Connection of the console to the emulator. It is an administrator's, so no rule applies to it. */
import { initializeApp } from "firebase/app";
import { connectFirestoreEmulator, getFirestore } from "firebase/firestore";
import type { Config } from "../../shared/config";

/** The connection and the settings that every part of the console works with. */
export type Db = ReturnType<typeof connect>;

/** Connects. Throws an error if config.json is not from `relationindex dev`. */
export function connect({ dev, emulators, ...config }: Config) {
  if (!dev || !emulators) throw new Error("This config.json is one of a deployed project, where the console is not let in.");
  const firestore = getFirestore(initializeApp(config.firebase), config.database ?? "(default)");
  // The SDK sends a string unchanged: "Authorization: Bearer owner". The emulator treats this token as an administrator's.
  const { hostname, port } = new URL(`http://${emulators.firestoreHost}`);
  connectFirestoreEmulator(firestore, hostname, Number(port), { mockUserToken: "owner" });
  return {
    firestore,
    collections: dev.collections,
    /** The most followers of an index document. */
    capacity: config.capacity ?? 10_000,
    /** The most bytes of ids in an index document. */
    budgetBytes: dev.followersBytes,
    /** Whether the functions keep timelines. */
    timelines: config.timelines !== undefined,
    notifications: config.notifications ?? false,
  };
}
