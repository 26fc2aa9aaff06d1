/**
 * Follows: documents users/{author}/followers/{follower}, which the follower creates and deletes. A moment later, the functions
 * write the feed and the list of followed accounts from them.
 */
import { deleteDoc, getCountFromServer, getDoc, onSnapshot, orderBy, query, serverTimestamp, writeBatch, type Firestore, type Query, type Unsubscribe } from "firebase/firestore";
import { act, once } from "./pace.ts";
import { blockPath, blockedPath, followersPath, followingPath, followPath, requestPath } from "./paths.ts";
import { Value } from "./value.ts";

/** Follows that this page is deleting. To the SDK's listeners, a document with a pending deletion does not exist. */
const leaving = new Value<ReadonlySet<string>>(new Set());

export interface Follow {
  following: boolean;
  /** The server has not confirmed the last write. */
  sending: boolean;
}

/**
 * Watches one follow: one read, and one for each change. A write of this device shows at once, as sending. If the server rejects
 * the write, changed is called with the old state. Offline, the state comes from the cache; without one there, it is "no".
 */
export function watchFollow(db: Firestore, follower: string, author: string, changed: (follow: Follow) => void, failed: (error: Error) => void): Unsubscribe {
  const document = followPath(db, author, follower);
  let now: Follow | undefined;
  const tell = () => now && changed({ ...now, sending: now.sending || leaving.get().has(document.path) });
  const stopLeaving = leaving.watch(tell);
  const stop = onSnapshot(
    document,
    { includeMetadataChanges: true },
    (found) => {
      now = { following: found.exists(), sending: found.metadata.hasPendingWrites };
      tell();
    },
    failed,
  );
  return () => {
    stopLeaving();
    stop();
  };
}

/**
 * Follows an author: one write and one delete, of a request from when the author's account was closed. Then come the functions'
 * writes. Resolves when the server has it; offline it waits, also across a reload. May be repeated. Rejects with permission-denied
 * if the account has no profile, or one of the two blocks the other.
 */
export async function follow(db: Firestore, me: string, author: string): Promise<void> {
  const [document, request] = [followPath(db, author, me), requestPath(db, author, me)];
  await once(document, () => act(db, "follows", author, (batch) => batch.set(document, { createdAt: serverTimestamp() }).delete(request)), request);
}

/**
 * Unfollows an author: two deletes. The second deletes a pending request, which could be accepted later. May be repeated. Offline
 * it waits, as follow does; after a reload, watchFollow shows it as done.
 */
export async function unfollow(db: Firestore, me: string, author: string): Promise<void> {
  const document = followPath(db, author, me);
  leaving.set(new Set(leaving.get()).add(document.path));
  try {
    await writeBatch(db).delete(document).delete(requestPath(db, author, me)).commit();
  } finally {
    leaving.set(new Set([...leaving.get()].filter((path) => path !== document.path)));
  }
}

/** Removes a follower of the account: one delete. The follower may follow again; see block. */
export async function removeFollower(db: Firestore, me: string, follower: string): Promise<void> {
  await deleteDoc(followPath(db, me, follower));
}

/**
 * Blocks an account: one write and one delete, which ends its follow at once. May be repeated. The rules reject new follows by
 * either of the two, and a function ends the other's.
 */
export async function block(db: Firestore, me: string, other: string): Promise<void> {
  const [document, their] = [blockPath(db, me, other), followPath(db, me, other)];
  await once(document, () => writeBatch(db).set(document, { createdAt: serverTimestamp() }).delete(their).commit(), their);
}

/** Reports whether the account blocks another: one read. */
export async function isBlocked(db: Firestore, me: string, other: string): Promise<boolean> {
  return (await getDoc(blockPath(db, me, other))).exists();
}

/** Unblocks an account: one delete. The old follow does not come back. */
export async function unblock(db: Firestore, me: string, other: string): Promise<void> {
  await deleteDoc(blockPath(db, me, other));
}

// Three lists, newest first. The id of each document is the other account. One read for each document.

export const following = (db: Firestore, me: string): Query => query(followingPath(db, me), orderBy("createdAt", "desc"));

export const followers = (db: Firestore, me: string): Query => query(followersPath(db, me), orderBy("createdAt", "desc"));

export const blocked = (db: Firestore, me: string): Query => query(blockedPath(db, me), orderBy("createdAt", "desc"));

export interface Counts {
  following: number;
  followers: number;
}

/**
 * Counts the account's followers and follows: one read for each 1,000. The rules cannot tell a count from a list, so an account
 * can count only its own. Rejects offline with unavailable.
 */
export async function countFollows(db: Firestore, me: string): Promise<Counts> {
  const [of, to] = await Promise.all([getCountFromServer(followingPath(db, me)), getCountFromServer(followersPath(db, me))]);
  return { following: of.data().count, followers: to.data().count };
}
