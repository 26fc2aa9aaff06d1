/** The counts of one's follows, kept for what shows them. */
import type { Firestore } from "firebase/firestore";
import { countFollows, type Counts } from "./follows";
import { Value } from "./value";

export class OwnCounts {
  /** null: not known (yet, or because the network is gone). */
  readonly state = new Value<Counts | null>(null);

  constructor(private db: Firestore, private me: string) {}

  /** Two counts, one read each up to 1,000. A failure leaves what was known. */
  async refresh(): Promise<void> {
    try {
      this.state.set(await countFollows(this.db, this.me));
    } catch {
      // Shown as not known, or as it was: no feature waits for it.
    }
  }

  /** After a follow or an unfollow: now, and once more when the functions will have written the edge. */
  async refreshSoon(): Promise<void> {
    await this.refresh();
    setTimeout(() => void this.refresh(), 2_000);
  }
}
