/** Starts the Firebase SDK, with the parts that this app uses and no others: that is half of its size. */
import { initializeApp } from "firebase/app";
import { browserLocalPersistence, connectAuthEmulator, indexedDBLocalPersistence, initializeAuth, type Auth } from "firebase/auth";
import { connectFirestoreEmulator, initializeFirestore, persistentLocalCache, persistentMultipleTabManager, type Firestore } from "firebase/firestore";
import { hostPort, type Config } from "../../shared/config";
import { keepPace } from "./pace";

export interface Backend {
  auth: Auth;
  db: Firestore;
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
export function connect(config: Config): Backend {
  const app = initializeApp(config.firebase);
  const auth = initializeAuth(app, { persistence: [indexedDBLocalPersistence, browserLocalPersistence] });
  const db = initializeFirestore(app, { localCache: persistentLocalCache({ tabManager: persistentMultipleTabManager() }) }, config.database);
  if (config.emulators) {
    connectFirestoreEmulator(db, ...hostPort(config.emulators.firestoreHost));
    if (config.emulators.authHost) connectAuthEmulator(auth, `http://${config.emulators.authHost}`, { disableWarnings: true });
  }
  if (config.pace) keepPace(() => auth.currentUser?.uid);
  return { auth, db };
}
