/** Lists of accounts and of posts. Each is a source: nothing is read before a list of it is watched. */
import { endAt, limit, getDocs, orderBy, query, startAt, type Query } from "firebase/firestore";
import { accountOf, type Account } from "./accounts.ts";
import { until } from "./errors.ts";
import type { Fields } from "./fields.ts";
import { joined, owned } from "./groups.ts";
import type { Me } from "./me.ts";
import { nameKey } from "./name-key.ts";
import type { Source } from "./paged.ts";
import { blockedPath, followersPath, followingPath, requestsPath, usersPath } from "./paths.ts";
import { postsOf, postsTo, toPost, type Post } from "./posts.ts";
import { pageSize, querySource, timeOrder } from "./query.ts";

/** An account in a list: `id`. Accounts reads names and pictures of many together. */
export interface AccountItem {
  id: string;
  order: string;
}

/** An account in a list that is read from the accounts themselves. */
export interface NamedItem<A = Fields> extends AccountItem {
  account: Account<A>;
}

const edges = (me: Me, all: Query): Source<AccountItem> =>
  querySource(me, query(all, orderBy("createdAt", "desc")), pageSize, (found) => ({ id: found.id, order: timeOrder(found, "createdAt") }));

// Four lists of the account's own, newest first: one read for each account. A group that the account owns has the last three too.

/** The functions write this list, a moment after a follow. */
export const following = (me: Me): Source<AccountItem> => ({ ...edges(me, followingPath(me.db, me.id)), lags: true });

export const followers = (me: Me, group = me.id): Source<AccountItem> => edges(me, followersPath(me.db, group));

/** Requests to follow that wait for an answer. */
export const followRequests = (me: Me, group = me.id): Source<AccountItem> => edges(me, requestsPath(me.db, group));

export const blocked = (me: Me, group = me.id): Source<AccountItem> => edges(me, blockedPath(me.db, group));

/** The groups that the account has joined, by id: one read for each. */
export const joinedGroups = (me: Me): Source<AccountItem> => ({
  ...querySource(me, joined(me), pageSize, ({ id }) => ({ id, order: id })),
  ascending: true,
  lags: true,
});

/** The groups that the account owns, by id: one read for each. */
export const ownedGroups = <A>(me: Me<unknown, A>): Source<NamedItem<A>> => ({
  ...querySource(me, owned(me), pageSize, (found) => ({ id: found.id, order: found.id, account: accountOf(me, found) })),
  ascending: true,
});

/** Firestore sorts by code points, JavaScript by units of UTF-16: this makes the first of the second, as two units are above U+E000. */
const byCodePoint = (text: string): string =>
  text.replace(/[\ud800-\uffff]/g, (unit) => String.fromCharCode(unit.charCodeAt(0) + (unit >= "\ue000" ? -0x800 : 0x2000)));

/** Firestore sorts \u{10ffff} after every character. */
function byName(me: Me, prefix: string): Query {
  const key = nameKey(prefix),
    all = query(usersPath(me.db), orderBy("nameLower"));
  return key === "" ? all : query(all, startAt(key), endAt(`${key}\u{10ffff}`));
}

/**
 * Accounts and groups by name; prefix: those whose name begins with it, ignoring case and accents. One read for each. Firestore's
 * automatic index serves the query.
 */
export const accountsByName = <A>(me: Me<unknown, A>, prefix = ""): Source<NamedItem<A>> => ({
  ...querySource(me, byName(me, prefix), pageSize, (found) => ({
    id: found.id,
    order: byCodePoint(`${String(found.get("nameLower"))}\0${found.id}`),
    account: accountOf(me, found),
  })),
  ascending: true,
});

/** Reads at most `most` accounts whose name begins with prefix: one read for each. */
export async function findAccounts<A>(me: Me<unknown, A>, prefix: string, most: number, signal?: AbortSignal): Promise<Account<A>[]> {
  me.check();
  return (await until(signal, getDocs(query(byName(me, prefix), limit(most))))).docs.map((found) => accountOf(me, found));
}

/** A post in a list that is ordered by time. */
export interface PostItem<P = Fields> {
  id: string;
  order: string;
  post: Post<P>;
}

const posts = <P>(me: Me<P>, all: Query): Source<PostItem<P>> =>
  querySource(me, all, pageSize, (found) => ({ id: found.id, order: timeOrder(found, "createdAt"), post: toPost(me, found) }));

/** The account's posts to every audience, newest first, also those that are being sent: one read for each. */
export const ownPosts = <P>(me: Me<P>): Source<PostItem<P>> => posts(me, postsOf(me));

/**
 * Posts to an audience, a person or a group, newest first: one read for each. A moderator sees hidden ones too.
 * permission-denied: the account may not read them.
 */
export const postsToAudience = <P>(me: Me<P>, audience: string, { moderator = false } = {}): Source<PostItem<P>> => posts(me, postsTo(me, audience, moderator));
