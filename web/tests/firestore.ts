// Firestore for tests, beside the code under test: clients of the emulator, and writes of documents without rules.
import { randomUUID } from "node:crypto";

import { initializeApp } from "firebase/app";
import {
  type DocumentData,
  type EmulatorMockTokenOptions,
  type Firestore,
  type FirestoreSettings,
  collection,
  connectFirestoreEmulator,
  deleteDoc,
  doc,
  documentId,
  getCountFromServer,
  initializeFirestore,
  query,
  serverTimestamp,
  setLogLevel,
  Timestamp,
  where,
  writeBatch,
} from "firebase/firestore";
import { inject } from "vitest";

import { nameFields } from "../../client/src/name-key.ts";

export const at = inject("system");

setLogLevel("silent"); // the SDK logs rejections of the rules as errors, but tests expect them

/** client opens a client of its own: of an account, of "owner", to whom no rule applies, or without a token. */
export function client(token?: EmulatorMockTokenOptions | "owner", projectId = at.project, system = at, settings: FirestoreSettings = {}): Firestore {
  const db = initializeFirestore(initializeApp({ projectId, apiKey: "demo" }, randomUUID()), settings, system.database);
  const [host, port] = system.firestoreHost.split(":");
  connectFirestoreEmulator(db, host!, Number(port), token ? { mockUserToken: token } : {});
  return db;
}

/** db is the client of the owner. */
export const db = client("owner");

/** idle waits until the functions have handled all writes, two minutes at most. */
export async function idle(system = at): Promise<void> {
  const answer = await fetch(`${system.functionsURL}/idle?timeout=120s`);
  if (!answer.ok) {
    throw new Error(`not idle: ${answer.status} ${await answer.text()}`);
  }
}

// A limit of the emulator 1.19.9 (firebase-tools issue 3867 has the same symptom): a client listens to a missing document and
// creates it, and the listener may keep the document as missing. That happens if, at the moment of the creation, the same client
// connects, opens another listener, or receives news of another one. The emulator then reports the document as missing, as of a
// time at which it was there. It happened 40 of 640 times with sixteen clients at once, and never of 1,280 times without any of
// these. A write to a collection is news for every query of it. Tests that avoid the limit say "stale".

/** write creates or replaces documents, by path, in one commit. */
export async function write(documents: Record<string, DocumentData>, to = db): Promise<void> {
  const batch = writeBatch(to);
  Object.entries(documents).forEach(([path, data]) => batch.set(doc(to, path), data));
  await batch.commit();
}

export const remove = (path: string): Promise<void> => deleteDoc(doc(db, path));

/** profile returns a user document as the app writes it. */
export const profile = nameFields;

export const register = (id: string, name: string): Promise<void> => write({ [`users/${id}`]: profile(name) });

export const follow = (author: string, ...followers: string[]): Promise<void> =>
  write(Object.fromEntries(followers.map((f) => [`users/${author}/followers/${f}`, { createdAt: serverTimestamp() }])));

export const unfollow = (author: string, follower: string): Promise<void> => remove(`users/${author}/followers/${follower}`);

/** publish writes n posts of an author. The last one is the newest. */
export const publish = (userId: string, n: number, text = "Hello", to = db): Promise<void> =>
  write(Object.fromEntries(Array.from({ length: n }, (_, i) =>
    [`posts/${userId}-${String(i).padStart(3, "0")}`, { userId, audience: userId, hidden: false, createdAt: Timestamp.fromMillis(Date.UTC(2026, 0, 1) + i * 60_000), text }])), to);

/** has reports whether the server has a document. It uses a count, because getDoc listens, and may go stale if it is polled. */
export const has = async (path: string): Promise<boolean> => {
  const { parent, id } = doc(db, path);
  return (await getCountFromServer(query(parent, where(documentId(), "==", id)))).data().count === 1;
};

/** postsBy counts an author's posts on the server. */
export const postsBy = async (author: string): Promise<number> =>
  (await getCountFromServer(query(collection(db, "posts"), where("userId", "==", author)))).data().count;

/** enqueue writes a job as the engine enqueues it. fields are added, or replace the engine's. */
export function enqueue(id: string, fields: DocumentData): Promise<void> {
  const now = Timestamp.now();
  return write({ [`_functions/${id}`]: { state: "queued", wakeAt: now, createdAt: now, updatedAt: now, ...fields } });
}
