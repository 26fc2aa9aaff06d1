/**
 * Follows: documents users/{author}/followers/{follower}, which the follower creates and deletes. A moment later, the functions
 * write the feed and the list of followed accounts from them. A closed account is asked first: users/{account}/requests/{follower}.
 */
import { deleteDoc, getCountFromServer, getDoc, serverTimestamp, writeBatch, type DocumentReference, type Firestore } from "firebase/firestore";
import { until } from "./errors.ts";
import type { Me } from "./me.ts";
import { act, once } from "./pace.ts";
import { blockPath, followersPath, followingPath, followPath, requestPath } from "./paths.ts";

/** One of the lists of the account's own: its paths are those that acts name. */
const inFollowing = (me: Me, author: string): string => `${followingPath(me.db, me.id).path}/${author}`;

/**
 * Follows an author: one write and one delete, of a request from when the author's account was closed. Then come the functions'
 * writes. Resolves when the server has it; offline it waits, also across a reload. May be repeated. Rejects with permission-denied
 * and a reason.
 */
export async function follow(me: Me, author: string): Promise<void> {
  const [document, request] = [followPath(me.db, author, me.id), requestPath(me.db, author, me.id)];
  me.acts.back(inFollowing(me, author));
  await once(me, "follows", author, document, { createdAt: serverTimestamp() }, { account: author, open: true }, request);
  me.acts.back(inFollowing(me, author));
  me.acts.feed(true);
}

/**
 * Unfollows an author: two deletes. The second deletes a pending request, which could be accepted later. May be repeated. Offline
 * it waits, as follow does.
 */
export async function unfollow(me: Me, author: string): Promise<void> {
  me.check();
  await writeBatch(me.db)
    .delete(followPath(me.db, author, me.id))
    .delete(requestPath(me.db, author, me.id))
    .commit();
  me.acts.gone(inFollowing(me, author));
  me.acts.feed(true);
}

/** Asks a closed account to be followed: one write. May be repeated. Rejects with permission-denied and a reason, also if it is open. */
export async function requestFollow(me: Me, account: string): Promise<void> {
  const document = requestPath(me.db, account, me.id);
  me.acts.back(inFollowing(me, account)); // if it is accepted within a moment
  await once(me, "follows", account, document, { followerId: me.id, createdAt: serverTimestamp() }, { account });
  me.acts.back(inFollowing(me, account));
}

/** Takes the account's own request back: one delete. May be repeated. */
export async function withdrawRequest(me: Me, account: string): Promise<void> {
  me.check();
  await deleteDoc(requestPath(me.db, account, me.id));
}

/** Another account, as this one sees it; or as a group sees it that this one owns. */
export type Whom = string | { id: string; group: string };

const seen = (me: Me, whom: Whom): { id: string; by: string } => (typeof whom === "string" ? { id: whom, by: me.id } : { id: whom.id, by: whom.group });

/** Deletes a document that is about an account, and lists drop it. */
async function remove(me: Me, pathOf: (db: Firestore, by: string, id: string) => DocumentReference, whom: Whom): Promise<void> {
  me.check();
  const { id, by } = seen(me, whom);
  const document = pathOf(me.db, by, id);
  await deleteDoc(document);
  me.acts.gone(document.path);
}

/** Accepts a request, which makes it a follow: one commit. Rejects if the request was withdrawn. */
export async function acceptRequest(me: Me, whom: Whom): Promise<void> {
  const { id, by } = seen(me, whom);
  const [document, request] = [followPath(me.db, by, id), requestPath(me.db, by, id)];
  await act(me, "accepts", `${by}/${id}`, (batch) => batch.set(document, { createdAt: serverTimestamp() }).delete(request), { account: id });
  me.acts.gone(request.path);
  if (id !== me.id) return;
  me.acts.back(inFollowing(me, by)); // an owner joins their own closed group
  me.acts.feed(true);
}

/** Declines a request: one delete. May be repeated. The follower may ask again; see block. */
export async function declineRequest(me: Me, whom: Whom): Promise<void> {
  await remove(me, requestPath, whom);
}

/** Removes a follower of the account: one delete. The follower may follow again; see block. */
export async function removeFollower(me: Me, whom: Whom): Promise<void> {
  await remove(me, followPath, whom);
}

/**
 * Blocks an account: one write and one delete, which ends its follow at once. May be repeated. The rules reject new follows by
 * either of the two, and a function ends the other's.
 */
export async function block(me: Me, whom: Whom): Promise<void> {
  me.check();
  const { id, by } = seen(me, whom);
  const [document, their] = [blockPath(me.db, by, id), followPath(me.db, by, id)];
  await once(me, "", id, document, { createdAt: serverTimestamp() }, {}, their);
  me.acts.gone(their.path);
  me.acts.gone(requestPath(me.db, by, id).path);
  if (by === me.id) me.acts.gone(inFollowing(me, id));
  me.acts.feed(true);
}

/** Unblocks an account: one delete. The old follow does not come back. */
export async function unblock(me: Me, whom: Whom): Promise<void> {
  await remove(me, blockPath, whom);
}

/** Reports whether the account blocks another: one read. */
export async function isBlocked(me: Me, whom: Whom): Promise<boolean> {
  const { id, by } = seen(me, whom);
  me.check();
  return (await getDoc(blockPath(me.db, by, id))).exists();
}

export interface FollowCounts {
  following: number;
  followers: number;
}

/**
 * Counts the account's followers and follows: one read for each 1,000. The rules cannot tell a count from a list, so an account
 * can count only its own. Rejects offline with unavailable.
 */
export async function countFollows(me: Me, signal?: AbortSignal): Promise<FollowCounts> {
  me.check();
  const [of, to] = await until(signal, Promise.all([getCountFromServer(followingPath(me.db, me.id)), getCountFromServer(followersPath(me.db, me.id))]));
  return { following: of.data().count, followers: to.data().count };
}
