/** The account's own numbers: the functions' numbers if there are any, else counted by queries. */
import type { Firestore, Unsubscribe } from "firebase/firestore";
import { watchAccount, type Numbers } from "./accounts.ts";
import { countFollows } from "./follows.ts";
import { Value } from "./value.ts";

/** posts is absent if the functions keep no numbers. */
export type MyCounts = Omit<Numbers, "posts"> & Partial<Pick<Numbers, "posts">>;

export class OwnCounts {
  /** null: not known yet, or there is no network. */
  readonly state = new Value<MyCounts | null>(null);
  private stop: Unsubscribe = () => {};
  private soon: ReturnType<typeof setTimeout> | undefined;
  private closed = false;

  /** kept: the functions keep numbers in the account, which the app watches anyway. */
  constructor(private db: Firestore, private me: string, private kept: boolean) {
    if (kept) this.stop = watchAccount(db, me, (_, numbers) => this.state.set(numbers), () => {});
  }

  /**
   * Counts with two queries, a read each up to 1,000; does nothing if the functions count. After a failure, the old numbers stay.
   */
  async refresh(): Promise<void> {
    if (this.kept) return;
    try {
      this.state.set(await countFollows(this.db, this.me));
    } catch {
      // The numbers stay unknown, or as they were: nothing depends on them.
    }
  }

  /** Counts after a follow or an unfollow: at once, and again when the functions have usually written the edge. */
  async refreshSoon(): Promise<void> {
    if (this.kept) return;
    await this.refresh();
    clearTimeout(this.soon);
    if (!this.closed) this.soon = setTimeout(() => void this.refresh(), 2_000);
  }

  close(): void {
    this.closed = true;
    this.stop();
    clearTimeout(this.soon);
    this.state.end();
  }
}
