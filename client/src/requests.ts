/**
 * Requests to follow a closed account: documents users/{account}/requests/{follower}. The follower creates and deletes
 * them; the account, or the owner of the group, accepts or declines.
 */
import { deleteDoc, onSnapshot, orderBy, query, serverTimestamp, type Firestore, type Query, type Unsubscribe } from "firebase/firestore";
import { act } from "./pace.ts";
import { followPath, requestPath, requestsPath } from "./paths.ts";

export interface Request {
  asked: boolean;
  /** Known to this device only: the server has not confirmed it. */
  sending: boolean;
}

/** Watches one request: one read, and one for each change. */
export function watchRequest(db: Firestore, follower: string, account: string, changed: (request: Request) => void, failed: (error: Error) => void): Unsubscribe {
  return onSnapshot(requestPath(db, account, follower), { includeMetadataChanges: true },
    (found) => changed({ asked: found.exists(), sending: found.metadata.hasPendingWrites }), failed);
}

/** Asks to follow: one write. Refused (permission-denied) if the account is open, blocks me, or is followed already. */
export async function ask(db: Firestore, me: string, account: string): Promise<void> {
  await act(db, "follows", account, (batch) => batch.set(requestPath(db, account, me), { followerId: me, createdAt: serverTimestamp() }));
}

/** Takes a request back, or declines one: one delete. May be repeated. The follower may ask again; see block. */
export async function endRequest(db: Firestore, account: string, follower: string): Promise<void> {
  await deleteDoc(requestPath(db, account, follower));
}

/** Turns a request into a follow: one commit. Refused if the request was withdrawn meanwhile. */
export async function accept(db: Firestore, account: string, follower: string): Promise<void> {
  await act(db, "accepts", `${account}/${follower}`, (batch) =>
    batch.set(followPath(db, account, follower), { createdAt: serverTimestamp() }).delete(requestPath(db, account, follower)));
}

/** The newest first; the id of each document is the follower. One read for each that is shown. */
export const requests = (db: Firestore, account: string): Query => query(requestsPath(db, account), orderBy("createdAt", "desc"));
