/**
 * Follows: documents users/{author}/followers/{follower}, which the follower creates and deletes. All else (the
 * feed, the list of whom one follows) is made from them by the functions, a moment later.
 */
import { deleteDoc, getCountFromServer, getDoc, onSnapshot, orderBy, query, serverTimestamp, setDoc, writeBatch, type Firestore, type Query, type Unsubscribe } from "firebase/firestore";
import { act } from "./pace.ts";
import { blockPath, blockedPath, followersPath, followingPath, followPath, requestPath } from "./paths.ts";
import { Value } from "./value.ts";

/** Follows that this page is deleting: to the SDK's listeners a document whose deletion is under way is just gone. */
const leaving = new Value<ReadonlySet<string>>(new Set());

export interface Follow {
  following: boolean;
  /** Known to this device only: the server has not confirmed it. */
  sending: boolean;
}

/**
 * Watches one follow. Costs one read, and one for each change. An own write shows at once, as sending; if the server
 * refuses it, this says so by going back. Offline it answers from the cache, and "no" if the cache does not know.
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
 * Follows an author: one write, and those of the functions. Resolves when the server has it; offline it waits, also over
 * a reload. Repeated, it is refused (permission-denied) and changes nothing, as it is for somebody who is blocked.
 */
export async function follow(db: Firestore, me: string, author: string): Promise<void> {
  await act(db, "follows", author, (batch) => batch.set(followPath(db, author, me), { createdAt: serverTimestamp() }));
}

/**
 * Two deletes: a request that I made before the account opened is withdrawn too, or it could be accepted later. May be
 * repeated. Offline it waits as follow does; after a reload watchFollow takes it for done.
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

/** Ends a follow of me: one delete of mine, as the author. The other may follow again; see block. */
export async function removeFollower(db: Firestore, me: string, follower: string): Promise<void> {
  await deleteDoc(followPath(db, me, follower));
}

/** Ends a follow of me, if there is one, and refuses new ones: one write; a function ends the follow. */
export async function block(db: Firestore, me: string, other: string): Promise<void> {
  await setDoc(blockPath(db, me, other), { createdAt: serverTimestamp() });
}

/** Returns whether I block somebody. One read. */
export async function isBlocked(db: Firestore, me: string, other: string): Promise<boolean> {
  return (await getDoc(blockPath(db, me, other))).exists();
}

/** Lets somebody follow me again. The old follow does not come back. */
export async function unblock(db: Firestore, me: string, other: string): Promise<void> {
  await deleteDoc(blockPath(db, me, other));
}

// Three lists, the newest first; the id of each document is the other account. One read for each that is shown.

export const following = (db: Firestore, me: string): Query => query(followingPath(db, me), orderBy("createdAt", "desc"));

export const followers = (db: Firestore, me: string): Query => query(followersPath(db, me), orderBy("createdAt", "desc"));

export const blocked = (db: Firestore, me: string): Query => query(blockedPath(db, me), orderBy("createdAt", "desc"));

export interface Counts {
  following: number;
  followers: number;
}

/**
 * How many follow me, and how many I follow. One read for each 1,000 that are counted. Only one's own: the rules let
 * nobody else count, since they cannot tell a count from a list. Fails offline ("unavailable").
 */
export async function countFollows(db: Firestore, me: string): Promise<Counts> {
  const [of, to] = await Promise.all([getCountFromServer(followingPath(db, me)), getCountFromServer(followersPath(db, me))]);
  return { following: of.data().count, followers: to.data().count };
}
