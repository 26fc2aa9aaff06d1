/** My numbers, kept for what shows them: those that the functions keep, or else counted here. */
import type { Firestore, Unsubscribe } from "firebase/firestore";
import { watchAccount, type Numbers } from "./accounts.ts";
import { countFollows } from "./follows.ts";
import { Value } from "./value.ts";

/** posts is absent where the functions keep no numbers. */
export type MyCounts = Omit<Numbers, "posts"> & Partial<Pick<Numbers, "posts">>;

export class OwnCounts {
  /** null: not known (yet, or because the network is gone). */
  readonly state = new Value<MyCounts | null>(null);
  private stop: Unsubscribe = () => {};
  private soon: ReturnType<typeof setTimeout> | undefined;
  private closed = false;

  /** kept: the functions keep numbers in my account, which is watched anyway. */
  constructor(private db: Firestore, private me: string, private kept: boolean) {
    if (kept) this.stop = watchAccount(db, me, (_, numbers) => this.state.set(numbers), () => {});
  }

  /** Two counts, one read each up to 1,000; nothing where the functions count. A failure leaves what was known. */
  async refresh(): Promise<void> {
    if (this.kept) return;
    try {
      this.state.set(await countFollows(this.db, this.me));
    } catch {
      // Shown as not known, or as it was: no feature waits for it.
    }
  }

  /** After a follow or an unfollow: now, and once more when the functions will have written the edge. */
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
