/** People and groups by name; and a cache of accounts for as long as the page is open. */
import { documentId, endAt, getDocs, limit, orderBy, query, startAt, where, type Firestore, type Query } from "firebase/firestore";
import { ClientError } from "./errors.ts";
import { isId } from "./ids.ts";
import { isolated } from "./theirs.ts";
import { toAccount, type Account } from "./accounts.ts";
import { nameKey } from "./name-key.ts";
import { usersPath } from "./paths.ts";

/**
 * All accounts whose profile has nameLower (see nameFields), by name: one read for each. Firestore's automatic index serves the
 * query.
 */
export const everyone = (db: Firestore): Query => query(usersPath(db), orderBy("nameLower"));

/** Accounts whose name begins with prefix, ignoring case and accents. Firestore sorts \u{10ffff} after every character. */
export function namesLike(db: Firestore, prefix: string): Query {
  const key = nameKey(prefix);
  return query(usersPath(db), orderBy("nameLower"), startAt(key), endAt(key + "\u{10ffff}"));
}

/** Reads at most `most` accounts whose name begins with prefix: one read for each. */
export async function findAccounts(db: Firestore, prefix: string, most: number): Promise<{ id: string; account: Account }[]> {
  const { docs } = await getDocs(query(namesLike(db, prefix), limit(most)));
  return docs.map((found) => ({ id: found.id, account: toAccount(found.data()) }));
}

/** Accounts by id: one read for each, once. Requests of the same moment are combined, up to 30 in one. */
export class Names {
  private known = new Map<string, Promise<Account>>();
  private asked: { uid: string; resolve: (account: Account) => void; reject: (error: unknown) => void }[] = [];
  private asking: ReturnType<typeof setTimeout> | undefined;
  private closed = false;

  constructor(private db: Firestore) {}

  /**
   * Returns a name to show, isolated; "": the account has no name, or does not exist. Rejects offline if the cache lacks it; the
   * next call tries again.
   */
  async get(uid: string): Promise<string> {
    return isolated((await this.account(uid)).name);
  }

  /** Returns the whole account, as it was when it was first read. Otherwise like get. */
  account(uid: string): Promise<Account> {
    if (!isId(uid)) return Promise.resolve(toAccount()); // an invalid id would fail the whole request
    let account = this.known.get(uid);
    if (!account) {
      account = new Promise((resolve, reject) => {
        if (this.closed) return reject(new ClientError("cancelled", "closed"));
        if (this.asked.push({ uid, resolve, reject }) === 1) this.asking = setTimeout(() => void this.ask());
      });
      this.known.set(uid, account);
      account.catch(() => this.known.delete(uid));
    }
    return account;
  }

  /** Reads an account again. */
  again(uid: string): Promise<Account> {
    this.known.delete(uid);
    return this.account(uid);
  }

  /** Stores an account that was read elsewhere. */
  put(uid: string, account: Account): void {
    this.known.set(uid, Promise.resolve(account));
  }

  /** Rejects pending and later calls with cancelled. */
  close(): void {
    this.closed = true;
    clearTimeout(this.asking);
    for (const { reject } of this.asked) reject(new ClientError("cancelled", "closed"));
    this.asked = [];
  }

  private async ask(): Promise<void> {
    const asked = this.asked;
    this.asked = [];
    for (let i = 0; i < asked.length; i += 30) {
      const some = asked.slice(i, i + 30);
      try {
        const found = await getDocs(query(usersPath(this.db), where(documentId(), "in", some.map((a) => a.uid)), limit(some.length)));
        const accounts = new Map(found.docs.map((user) => [user.id, toAccount(user.data())]));
        for (const { uid, resolve, reject } of some) {
          const account = accounts.get(uid);
          if (account || !found.metadata.fromCache) resolve(account ?? toAccount());
          else reject(new ClientError("unavailable", "the name is not on this device")); // the server may have it
        }
      } catch (error) {
        for (const { reject } of some) reject(error);
      }
    }
  }
}
