/** People and groups by name, and the accounts that the page has met: kept for as long as it is open. */
import { documentId, endAt, getDocs, limit, orderBy, query, startAt, where, type Firestore, type Query } from "firebase/firestore";
import { ClientError } from "./errors.ts";
import { isId } from "./ids.ts";
import { isolated } from "./theirs.ts";
import { toAccount, type Account } from "./accounts.ts";
import { nameKey } from "./name-key.ts";
import { usersPath } from "./paths.ts";

/** Everyone, by name: those whose profile has nameLower, see nameFields. The field's automatic index serves it. One read for each that is shown. */
export const everyone = (db: Firestore): Query => query(usersPath(db), orderBy("nameLower"));

/** Those whose name begins so, whatever its case and accents. \uf8ff is past every letter in use. */
export function namesLike(db: Firestore, prefix: string): Query {
  const key = nameKey(prefix);
  return query(usersPath(db), orderBy("nameLower"), startAt(key), endAt(key + "\uf8ff"));
}

/** At most so many whose name begins so: one read for each. */
export async function findAccounts(db: Firestore, prefix: string, most: number): Promise<{ id: string; account: Account }[]> {
  const { docs } = await getDocs(query(namesLike(db, prefix), limit(most)));
  return docs.map((found) => ({ id: found.id, account: toAccount(found.data()) }));
}

/** Accounts by id: one read for each, once. Those asked for in the same moment go in one request of up to 30. */
export class Names {
  private known = new Map<string, Promise<Account>>();
  private asked: { uid: string; resolve: (account: Account) => void; reject: (error: unknown) => void }[] = [];
  private asking: ReturnType<typeof setTimeout> | undefined;
  private closed = false;

  constructor(private db: Firestore) {}

  /** A name to show, isolated; "" of an account that has none, or is gone. Fails offline where the cache has no answer; asking again tries again. */
  async get(uid: string): Promise<string> {
    return isolated((await this.account(uid)).name);
  }

  /** As get: the whole account, as it was when the page met it. */
  account(uid: string): Promise<Account> {
    if (!isId(uid)) return Promise.resolve(toAccount()); // a field may hold any text: it would fail those asked with it
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

  /** Takes over an account that came another way. */
  put(uid: string, account: Account): void {
    this.known.set(uid, Promise.resolve(account));
  }

  /** Those who wait for an answer get an error, and so does who asks from now on. */
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
          else reject(new ClientError("unavailable", "the name is not on this device")); // it may be on the server
        }
      } catch (error) {
        for (const { reject } of some) reject(error);
      }
    }
  }
}
