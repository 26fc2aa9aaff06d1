/** A cache of accounts for as long as the page is open. */
import { documentId, getDocs, limit, query, where } from "firebase/firestore";
import { accountOf, toAccount, type Account } from "./accounts.ts";
import { ClientError } from "./errors.ts";
import type { Fields } from "./fields.ts";
import { isId } from "./ids.ts";
import type { Me } from "./me.ts";
import { usersPath } from "./paths.ts";
import { isolatedText } from "./theirs.ts";

/** The most accounts of one query. */
const mostAsked = 30;

/** Accounts by id: one read for each, once. Requests of the same moment are combined, up to 30 in one. */
export class Accounts<A = Fields> {
  private known = new Map<string, Promise<Account<A>>>();
  private asked: { id: string; resolve: (account: Account<A>) => void; reject: (error: unknown) => void }[] = [];
  private asking: ReturnType<typeof setTimeout> | undefined;
  private closed = false;

  constructor(private me: Me<unknown, A>) {}

  /**
   * Returns a name to show, isolated; "": the account has no name, or does not exist. Rejects offline if the cache lacks it; the
   * next call tries again.
   */
  async name(id: string): Promise<string> {
    return isolatedText((await this.get(id)).name);
  }

  /** Returns the name of a post's or a comment's author: without a read if the deployment copies names into posts. */
  async authorOf({ userId, authorName }: { userId: string; authorName?: string }): Promise<string> {
    return authorName ? isolatedText(authorName) : this.name(userId);
  }

  /** Returns the whole account, as it was when it was first read; an empty one: it does not exist. Otherwise like name. */
  async get(id: string): Promise<Account<A>> {
    if (!isId(id)) return toAccount(this.me, id); // an invalid id would fail the whole request
    let account = this.known.get(id);
    if (!account) {
      account = new Promise((resolve, reject) => {
        if (this.closed) return reject(new ClientError("cancelled", "closed"));
        if (this.asked.push({ id, resolve, reject }) === 1) this.asking = setTimeout(() => void this.ask());
      });
      this.known.set(id, account);
      account.catch(() => this.known.delete(id));
    }
    return account;
  }

  /** Reads an account again. */
  again(id: string): Promise<Account<A>> {
    this.known.delete(id);
    return this.get(id);
  }

  /** Stores an account that was read elsewhere. */
  put(account: Account<A>): void {
    this.known.set(account.id, Promise.resolve(account));
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
    for (let i = 0; i < asked.length; i += mostAsked) {
      const some = asked.slice(i, i + mostAsked);
      try {
        this.me.check();
        const found = await getDocs(
          query(
            usersPath(this.me.db),
            where(
              documentId(),
              "in",
              some.map(({ id }) => id),
            ),
            limit(some.length),
          ),
        );
        const users = new Map(found.docs.map((user) => [user.id, user]));
        for (const { id, resolve, reject } of some) {
          const user = users.get(id);
          try {
            if (user || !found.metadata.fromCache) resolve(user ? accountOf(this.me, user) : toAccount(this.me, id));
            else reject(new ClientError("unavailable", "the name is not on this device")); // the server may have it
          } catch (error) {
            reject(error); // of the app's decoder
          }
        }
      } catch (error) {
        for (const { reject } of some) reject(error);
      }
    }
  }
}
