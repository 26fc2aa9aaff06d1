/** Starts the Firebase SDK, with the parts that this app uses and no others: that is half of its size. */
import { initializeApp } from "firebase/app";
import { browserLocalPersistence, connectAuthEmulator, indexedDBLocalPersistence, initializeAuth, signOut, type Auth } from "firebase/auth";
import {
  clearIndexedDbPersistence, connectFirestoreEmulator, initializeFirestore, persistentLocalCache, persistentMultipleTabManager, terminate,
  waitForPendingWrites, type Firestore,
} from "firebase/firestore";
import { hostPort, type Config } from "./config.ts";
import { keepPace } from "./pace.ts";

/** Make one by hand where you start the SDK yourself; by rules with a pace, call keepPace too. */
export interface Client {
  auth: Auth;
  db: Firestore;
  config: Config;
}

/**
 * The cache is the persistent one, although it adds 22 KB to the first load: what somebody writes without a network is
 * then sent after a reload, and after the tab was closed. A feed that was read once is shown at once, and what has not
 * changed within half an hour is not paid for again. All tabs share one cache. It is emptied at sign-out.
 *
 * With index documents of 10,000 ids a page of the feed puts 6.6 MB in it; of its 40 MB, the oldest go first. Where
 * that is too much: a smaller capacity, or Feed.
 *
 * initializeAuth, not getAuth: getAuth brings sign-in by pop-up along, some 20 KB more.
 */
export function connect(config: Config): Client {
  const app = initializeApp(config.firebase);
  const auth = initializeAuth(app, { persistence: [indexedDBLocalPersistence, browserLocalPersistence] });
  const db = initializeFirestore(app, { localCache: persistentLocalCache({ tabManager: persistentMultipleTabManager() }) }, config.database);
  if (config.emulators) {
    connectFirestoreEmulator(db, ...hostPort(config.emulators.firestoreHost));
    if (config.emulators.authHost) connectAuthEmulator(auth, `http://${config.emulators.authHost}`, { disableWarnings: true });
  }
  if (config.pace) keepPace(db, () => auth.currentUser?.uid);
  return { auth, db, config };
}

/** Whether something that was written here has not reached the server within half a second: forget would lose it. */
export async function hasUnsent(db: Firestore): Promise<boolean> {
  const sent = waitForPendingWrites(db).then(() => false);
  const late = new Promise<boolean>((resolve) => setTimeout(() => resolve(true), 500));
  return Promise.race([sent, late]);
}

/**
 * Signs out and leaves nothing of this account on the device: the cache goes too, with what is unsent. Close what listens
 * before. The client is of no use afterwards: load the page again. Another tab that is open keeps the cache until it is closed.
 */
export async function forget({ auth, db }: Client): Promise<void> {
  await terminate(db); // first: listeners would be refused, and what they tell would begin others
  await signOut(auth);
  await clearIndexedDbPersistence(db).catch(() => {});
}
