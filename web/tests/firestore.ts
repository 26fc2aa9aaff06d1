// Firestore as tests use it beside the code under test: clients of the emulator, and documents that nobody's rules judge.
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
import { nameFields } from "relationindex-client";
import { inject } from "vitest";

export const at = inject("system");

setLogLevel("silent"); // what the rules refuse is an error to the SDK; tests want it

/** client opens a client of its own: of an account, of "owner", whom no rule binds, or of nobody. */
export function client(token?: EmulatorMockTokenOptions | "owner", projectId = at.project, system = at, settings: FirestoreSettings = {}): Firestore {
  const db = initializeFirestore(initializeApp({ projectId, apiKey: "demo" }, randomUUID()), settings, system.database);
  const [host, port] = system.firestoreHost.split(":");
  connectFirestoreEmulator(db, host!, Number(port), token ? { mockUserToken: token } : {});
  return db;
}

/** db is the owner's. */
export const db = client("owner");

/** idle waits until everything that was written has had its consequences, two minutes at most. */
export async function idle(system = at): Promise<void> {
  const answer = await fetch(`${system.functionsURL}/idle?timeout=120s`);
  if (!answer.ok) {
    throw new Error(`not idle: ${answer.status} ${await answer.text()}`);
  }
}

// A limit of the emulator 1.19.9 (firebase-tools issue 3867 has the same symptom): if one listens to a document that does
// not exist, and creates it at the moment at which the same client connects, begins to listen to something else, or is
// told of something else, the listener may hear that the document is missing as of a time at which it was there, and
// keeps to that: 40 of 640 times with sixteen clients at once, never of 1,280 without any of these. A write to a
// collection tells every query of it something. Where tests keep out of its way they say "stale".

/** write creates or replaces documents, by path, in one commit. */
export async function write(documents: Record<string, DocumentData>, to = db): Promise<void> {
  const batch = writeBatch(to);
  Object.entries(documents).forEach(([path, data]) => batch.set(doc(to, path), data));
  await batch.commit();
}

export const remove = (path: string): Promise<void> => deleteDoc(doc(db, path));

/** profile is a user document as the app writes it. */
export const profile = nameFields;

export const register = (id: string, name: string): Promise<void> => write({ [`users/${id}`]: profile(name) });

export const follow = (author: string, ...followers: string[]): Promise<void> =>
  write(Object.fromEntries(followers.map((f) => [`users/${author}/followers/${f}`, { createdAt: serverTimestamp() }])));

export const unfollow = (author: string, follower: string): Promise<void> => remove(`users/${author}/followers/${follower}`);

/** publish writes n posts of an author, the last the newest. */
export const publish = (userId: string, n: number, text = "Hello", to = db): Promise<void> =>
  write(Object.fromEntries(Array.from({ length: n }, (_, i) =>
    [`posts/${userId}-${String(i).padStart(3, "0")}`, { userId, audience: userId, hidden: false, createdAt: Timestamp.fromMillis(Date.UTC(2026, 0, 1) + i * 60_000), text }])), to);

/** has tells whether the server has a document. It counts: getDoc listens, and polled it may go stale. */
export const has = async (path: string): Promise<boolean> => {
  const { parent, id } = doc(db, path);
  return (await getCountFromServer(query(parent, where(documentId(), "==", id)))).data().count === 1;
};

/** postsBy counts the posts of an author that the server has. */
export const postsBy = async (author: string): Promise<number> =>
  (await getCountFromServer(query(collection(db, "posts"), where("userId", "==", author)))).data().count;

/** enqueue writes a job as the engine enqueues it; other fields may be given. */
export function enqueue(id: string, fields: DocumentData): Promise<void> {
  const now = Timestamp.now();
  return write({ [`_functions/${id}`]: { state: "queued", wakeAt: now, createdAt: now, updatedAt: now, ...fields } });
}
