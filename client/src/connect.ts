/** Starts the Firebase SDK with only the parts that this package uses, or takes the one that the app has started. */
import { getApp, getApps, initializeApp, type FirebaseApp } from "firebase/app";
import {
  browserLocalPersistence,
  browserPopupRedirectResolver,
  connectAuthEmulator,
  getAuth,
  indexedDBLocalPersistence,
  initializeAuth,
  signOut,
  type Auth,
  type User,
} from "firebase/auth";
import {
  clearIndexedDbPersistence,
  connectFirestoreEmulator,
  getFirestore,
  initializeFirestore,
  memoryLocalCache,
  persistentLocalCache,
  persistentMultipleTabManager,
  terminate,
  waitForPendingWrites,
  type Firestore,
  type FirestoreSettings,
} from "firebase/firestore";
import { hostPort, type Config } from "./config.ts";
import { ClientError } from "./errors.ts";
import type { Decoder, Fields } from "./fields.ts";
import { Me } from "./me.ts";

/** What `connect` is told: the deployment, and the choices of the app. `firebase` is needed unless `app` is given. */
export interface Options<P = Fields, A = Fields> extends Omit<Config, "firebase"> {
  firebase?: Config["firebase"];
  /** An app that was initialized already. */
  app?: FirebaseApp;
  /** Its Auth and its Firestore, if the app has started them, such as in React Native; else connect starts them. */
  auth?: Auth;
  db?: Firestore;
  /**
   * Where documents are kept: on the device, for the next visit and without a network, or in memory, as on a computer that others
   * use too. Without it: on the device, or in memory where the browser has no room or no storage.
   */
  cache?: "device" | "memory";
  /** Further settings of the SDK, such as experimentalForceLongPolling. */
  settings?: Omit<FirestoreSettings, "localCache">;
  /** Decode the app's own fields of posts and accounts; without it, `fields` are all fields as they are stored. */
  post?: Decoder<P>;
  account?: Decoder<A>;
}

/** A connection to a deployment. P and A are the app's own fields of posts and accounts. */
export interface Client<P = unknown, A = unknown> {
  readonly app: FirebaseApp;
  readonly auth: Auth;
  readonly db: Firestore;
  readonly config: Omit<Config, "firebase">;
  readonly post: Decoder<P>;
  readonly account: Decoder<A>;
  /** Where documents are kept. "app": connect was given a Firestore. */
  readonly cache: "device" | "memory" | "app";
  /** Returns the account, which all functions take: the same object for the same account. */
  as(user: User): Me<P, A>;
}

/** What is started of an app. It is kept globally: hot reload loads this module again. */
interface Started {
  auth?: Auth;
  /** By the id of the database. */
  dbs: Map<string, Pick<Client, "db" | "cache">>;
}
const everyStarted = ((globalThis as { [key: symbol]: unknown })[Symbol.for("relationindex.started")] ??= new WeakMap()) as WeakMap<FirebaseApp, Started>;

/**
 * Connects to a deployment. May be repeated, as hot reload does: the same app and database give the same SDK.
 *
 * The persistent cache adds 22 KB to the first load. Writes made offline survive a reload and a closed tab. A feed shows at once from
 * the cache, and documents that have not changed within half an hour cost no second read. All tabs share one cache; signOutAndForget
 * empties it. With index documents of 10,000 ids, a page of relations takes 6.6 MB of the cache's 40 MB.
 *
 * In React Native, give `app`, `auth` (with AsyncStorage) and `cache: "memory"`: there is no IndexedDB.
 *
 * Throws invalid-argument if it has neither `app` nor `firebase`, and what a decoder throws that does not take an empty document.
 */
export function connect<P = Fields, A = Fields>(options: Options<P, A>): Client<P, A> {
  const { firebase, app: given, auth: _auth, db: _db, cache: _cache, settings: _settings, post, account, ...config } = options;
  const app = given ?? appOf(firebase);
  const started: Started = everyStarted.get(app) ?? { dbs: new Map() };
  everyStarted.set(app, started);
  const auth = (started.auth ??= startAuth(app, options));
  const database = config.database ?? "(default)",
    sdk = started.dbs.get(database) ?? startFirestore(app, options);
  started.dbs.set(database, sdk);
  for (const decode of [post, account]) decode?.({}); // it must take any document: one that does not fails here
  const accounts = new Map<string, Me<P, A>>();
  const client: Client<P, A> = {
    app,
    config,
    auth,
    ...sdk,
    post: post ?? ((data) => data as P),
    account: account ?? ((data) => data as A),
    as({ uid }) {
      const me = accounts.get(uid) ?? new Me(client, uid);
      accounts.set(uid, me);
      return me;
    },
  };
  return client;
}

/** Returns the default app if it is initialized, else initializes it. */
function appOf(firebase: Config["firebase"] | undefined): FirebaseApp {
  if (getApps().some(({ name }) => name === "[DEFAULT]")) {
    const app = getApp();
    if (!firebase || firebase.projectId === app.options.projectId) return app;
    throw new ClientError("invalid-argument", `an app of ${app.options.projectId} is initialized already: give connect the app of ${firebase.projectId}`);
  }
  if (!firebase) throw new ClientError("invalid-argument", "connect needs the object `firebase` that the Firebase console shows, or an `app`");
  return initializeApp(firebase);
}

/** Takes the app's Auth, or starts it, with sign-in by pop-up in browsers. */
function startAuth(app: FirebaseApp, { auth: given, emulators }: Options<unknown, unknown>): Auth {
  if (given) return given;
  const inBrowser = typeof document !== "undefined";
  let auth: Auth;
  try {
    auth = initializeAuth(
      app,
      inBrowser ? { persistence: [indexedDBLocalPersistence, browserLocalPersistence], popupRedirectResolver: browserPopupRedirectResolver } : {},
    );
  } catch {
    return getAuth(app); // the app has started it with other options
  }
  if (emulators?.authHost) connectAuthEmulator(auth, `http://${emulators.authHost}`, { disableWarnings: true });
  return auth;
}

function startFirestore(app: FirebaseApp, { db: given, cache, settings, emulators, database }: Options<unknown, unknown>): Pick<Client, "db" | "cache"> {
  if (given) return { db: given, cache: "app" };
  const kept = cache ?? (hasStorage() ? "device" : "memory");
  const localCache = kept === "device" ? persistentLocalCache({ tabManager: persistentMultipleTabManager() }) : memoryLocalCache();
  let db: Firestore;
  try {
    db = initializeFirestore(app, { ...settings, localCache }, database);
  } catch {
    return { db: database === undefined ? getFirestore(app) : getFirestore(app, database), cache: "app" }; // the app has started it with other settings
  }
  if (emulators) connectFirestoreEmulator(db, ...hostPort(emulators.firestoreHost));
  return { db, cache: kept };
}

/**
 * Whether the SDK can keep documents on the device: it needs IndexedDB, and a few KB of localStorage, by which tabs speak. Where one
 * is missing, blocked or full, the SDK would wait for ever.
 */
function hasStorage(): boolean {
  const probe = "relationindex.probe";
  try {
    localStorage.setItem(probe, " ".repeat(8_192));
    localStorage.removeItem(probe);
    return typeof indexedDB !== "undefined" && indexedDB !== null;
  } catch {
    return false;
  }
}

/** Reports whether writes of this device are still unsent after half a second: signOutAndForget would lose them. */
export async function hasUnsent({ db }: Pick<Client, "db">): Promise<boolean> {
  const sent = waitForPendingWrites(db).then(() => false);
  const late = new Promise<boolean>((resolve) => setTimeout(() => resolve(true), 500));
  return Promise.race([sent, late]);
}

/**
 * Signs out, and deletes the cache from the device, with unsent writes. Close all lists and watches before. Afterwards, load the
 * page or connect again: the client no longer works. Returns false if the cache is still there, because another tab is open: it stays until a
 * call in the last tab, and holds posts that only the account may read.
 */
export async function signOutAndForget({ auth, db }: Pick<Client, "auth" | "db">): Promise<boolean> {
  await terminate(db); // first: sign-out would make listeners fail, and their errors would start new ones
  await signOut(auth);
  const dbs = everyStarted.get(auth.app)?.dbs;
  for (const [id, started] of dbs ?? []) if (started.db === db) dbs!.delete(id);
  return clearIndexedDbPersistence(db).then(
    () => true,
    () => false,
  );
}
