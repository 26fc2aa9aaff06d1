/**
 * Requests to follow a closed account: documents users/{account}/requests/{follower}. The follower creates and deletes
 * them; the account, or the owner of the group, accepts or declines.
 */
import { deleteDoc, onSnapshot, orderBy, query, serverTimestamp, type Firestore, type Query, type Unsubscribe } from "firebase/firestore";
import { act, once } from "./pace.ts";
import { followPath, requestPath, requestsPath } from "./paths.ts";

export interface Request {
  asked: boolean;
  /** The server has not confirmed the last write. */
  sending: boolean;
}

/** Watches one request: one read, and one for each change. */
export function watchRequest(db: Firestore, follower: string, account: string, changed: (request: Request) => void, failed: (error: Error) => void): Unsubscribe {
  return onSnapshot(requestPath(db, account, follower), { includeMetadataChanges: true },
    (found) => changed({ asked: found.exists(), sending: found.metadata.hasPendingWrites }), failed);
}

/**
 * Requests to follow: one write. May be repeated. Rejects with permission-denied if this account has no profile, the other is open
 * or followed already, or one of the two blocks the other.
 */
export async function ask(db: Firestore, me: string, account: string): Promise<void> {
  const document = requestPath(db, account, me);
  await once(document, () => act(db, "follows", account, (batch) => batch.set(document, { followerId: me, createdAt: serverTimestamp() })));
}

/** Withdraws or declines a request: one delete. May be repeated. The follower may request again; see block. */
export async function endRequest(db: Firestore, account: string, follower: string): Promise<void> {
  await deleteDoc(requestPath(db, account, follower));
}

/** Accepts a request, which makes it a follow: one commit. Rejects if the request was withdrawn. */
export async function accept(db: Firestore, account: string, follower: string): Promise<void> {
  await act(db, "accepts", `${account}/${follower}`, (batch) =>
    batch.set(followPath(db, account, follower), { createdAt: serverTimestamp() }).delete(requestPath(db, account, follower)));
}

/** Requests, newest first; the id of each document is the follower. One read for each. */
export const requests = (db: Firestore, account: string): Query => query(requestsPath(db, account), orderBy("createdAt", "desc"));
