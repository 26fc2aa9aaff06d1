/** The signed-in account, which acts and reads. */
import type { Firestore } from "firebase/firestore";
import { Acts } from "./acts.ts";
import type { Client } from "./connect.ts";
import { ClientError } from "./errors.ts";
import { watchReturn } from "./page.ts";

/**
 * An account of a client: `client.as(user)` makes it. Functions take it first, so that no id can be taken for another.
 *
 * Firebase Auth is shared by the tabs of a browser: when another account signs in, or this one signs out, this object reads and
 * writes nothing more. Its calls then reject with unauthenticated, and its lists wait until the account is back. So make everything
 * that shows an account's data anew when the account changes.
 */
export class Me<P = unknown, A = unknown> {
  /** What the account has done on this page. */
  readonly acts = new Acts();
  /** When this page last began a count of the pace, in ms since 1970, by the path of the rate. */
  readonly began = new Map<string, number>();
  /** The ids of the posts that the account has written since the page was opened. */
  readonly written = new Set<string>();

  constructor(
    readonly client: Client<P, A>,
    /** The uid. */ readonly id: string,
  ) {}

  get db(): Firestore {
    return this.client.db;
  }

  /** Whether the account is signed in now. */
  get isCurrent(): boolean {
    return this.client.auth.currentUser?.uid === this.id;
  }

  /** Throws unauthenticated if the account is not signed in now. */
  check(): void {
    if (!this.isCurrent) throw new ClientError("unauthenticated", `${this.id} is not signed in: another account is, or none`);
  }

  /** Returns a current token of the account, and never another's. */
  async token(): Promise<string> {
    this.check();
    return this.client.auth.currentUser!.getIdToken();
  }

  /**
   * Calls back when the page becomes visible, the network returns, or the account signs in again; and `left` when it is no longer
   * signed in. Returns a function that stops it.
   */
  onReturn(back: () => void, left: () => void = () => {}): () => void {
    let was = this.isCurrent;
    const stopReturn = watchReturn(back);
    const stopAuth = this.client.auth.onIdTokenChanged(() => {
      const before = was;
      was = this.isCurrent;
      if (was && !before) back();
      if (!was && before) left();
    });
    return () => {
      stopReturn();
      stopAuth();
    };
  }
}
