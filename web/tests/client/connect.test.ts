// connect, where a browser, a hot reload or React Native have their own ways.
import { randomUUID } from "node:crypto";

import { deleteApp, type FirebaseApp, getApp, getApps, initializeApp } from "firebase/app";
import { createUserWithEmailAndPassword, getAuth, initializeAuth, inMemoryPersistence } from "firebase/auth";
import { getFirestore, initializeFirestore } from "firebase/firestore";
import { changeProfile, connect, findAccounts, type Options } from "relationindex-client";
import { afterEach, expect, test, vi } from "vitest";

import { at } from "../firestore.ts";

/** As the Firebase console shows it: it type-checks. */
const firebase = {
  apiKey: "demo",
  authDomain: "x.firebaseapp.com",
  projectId: at.project,
  storageBucket: "x.firebasestorage.app",
  messagingSenderId: "1",
  appId: "1:1:web:1",
  measurementId: "G-1",
} satisfies Options["firebase"];
const deployment = { database: at.database, emulators: { firestoreHost: at.firestoreHost, authHost: at.authHost } };

const made: FirebaseApp[] = [];
function newApp(): FirebaseApp {
  made.push(initializeApp(firebase, randomUUID()));
  return made.at(-1)!;
}

afterEach(async () => {
  vi.unstubAllGlobals();
  await Promise.all([...made.splice(0), ...getApps().filter(({ name }) => name === "[DEFAULT]")].map(deleteApp));
});

/** A browser's storage with this many free characters. */
function storage(free: number) {
  const kept = new Map<string, string>();
  return {
    kept,
    setItem(key: string, value: string) {
      if (value.length > free) throw new DOMException("full", "QuotaExceededError");
      kept.set(key, value);
    },
    removeItem: (key: string) => void kept.delete(key),
  };
}

test("with a full or blocked storage, documents are kept in memory, and reads work", async () => {
  vi.stubGlobal("indexedDB", {});
  vi.stubGlobal("localStorage", storage(1_000));
  const client = connect({ ...deployment, app: newApp() });
  expect(client.cache).toBe("memory");
  const { user } = await createUserWithEmailAndPassword(client.auth, `${randomUUID()}@example.com`, "correct horse");
  const me = client.as(user);
  await changeProfile(me, { name: `Full ${user.uid}` });
  expect((await findAccounts(me, `Full ${user.uid}`, 1)).map(({ id }) => id)).toEqual([user.uid]);

  vi.stubGlobal("localStorage", undefined);
  expect(connect({ ...deployment, app: newApp() }).cache).toBe("memory");
  const roomy = storage(100_000);
  vi.stubGlobal("localStorage", roomy);
  expect(connect({ ...deployment, app: newApp(), cache: "memory" }).cache).toBe("memory");
  expect(connect({ ...deployment, app: newApp() }).cache).toBe("device");
  expect([...roomy.kept]).toEqual([]);
  vi.stubGlobal("indexedDB", undefined);
  expect(connect({ ...deployment, app: newApp() }).cache).toBe("memory");
});

test("a second connect gives the same SDK, as in a hot reload; another app and another database give another", () => {
  const app = newApp();
  const [first, second] = [connect({ ...deployment, app }), connect({ ...deployment, app })];
  expect(second.db).toBe(first.db);
  expect(second.auth).toBe(first.auth);
  expect(connect({ ...deployment, app: newApp() }).db).not.toBe(first.db);
  expect(connect({ ...deployment, app, database: "another" }).db).not.toBe(first.db);
  const user = { uid: "ada" } as Parameters<typeof first.as>[0];
  expect(first.as(user)).toBe(first.as(user));
});

test("a second connect gives the same SDK after the module was loaded again", async () => {
  const app = newApp(),
    first = connect({ ...deployment, app });
  vi.resetModules();
  const again = await import("relationindex-client");
  expect(again.connect).not.toBe(connect);
  expect(again.connect({ ...deployment, app }).db).toBe(first.db);
});

test("an app that is there is taken: the default one, and what it has started", () => {
  const app = initializeApp(firebase);
  expect(connect({ ...deployment, firebase }).app).toBe(app);
  expect(connect(deployment).app).toBe(app);
  expect(() => connect({ ...deployment, firebase: { ...firebase, projectId: "other" } })).toThrow(expect.objectContaining({ code: "invalid-argument" }));

  const own = newApp();
  const [auth, db] = [initializeAuth(own, { persistence: inMemoryPersistence }), initializeFirestore(own, { ignoreUndefinedProperties: true })];
  expect(connect({ app: own })).toMatchObject({ cache: "app" });
  expect([connect({ app: own }).auth, connect({ app: own }).db]).toEqual([auth, db]);
  const given = newApp(),
    started = getFirestore(given);
  expect(connect({ app: given, db: started, auth: getAuth(given) })).toMatchObject({ cache: "app", db: started });
});

test("the default app is made where there is none, and nothing to make it of is an error", () => {
  expect(() => connect(deployment)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
  expect(getApps()).not.toContainEqual(expect.objectContaining({ name: "[DEFAULT]" }));
  expect(connect({ ...deployment, firebase }).app).toBe(getApp());
});

test("React Native has a window without listeners, and no document: what watches the page works", async () => {
  vi.stubGlobal("window", {});
  vi.stubGlobal("document", undefined);
  vi.resetModules();
  const fresh = await import("relationindex-client");
  const client = fresh.connect({ ...deployment, app: newApp(), cache: "memory" });
  const { user } = await createUserWithEmailAndPassword(client.auth, `${randomUUID()}@example.com`, "correct horse");
  const me = client.as(user);
  await fresh.changeProfile(me, { name: "Native" });
  const [list, badge] = [new fresh.Paged(fresh.followers(me)), new fresh.Badge(me)];
  list.subscribe(() => {});
  await expect.poll(() => list.state.get()).toMatchObject({ status: "ready", items: [], error: null });
  const asked = new fresh.Paged(fresh.endpointFeed(fresh.connect({ ...deployment, app: client.app, feedURL: at.feedURL }).as(user)));
  asked.subscribe(() => {});
  await expect.poll(() => asked.state.get()).toMatchObject({ status: "ready", items: [], error: null });
  for (const one of [list, badge, asked]) one.close();
});
