/** The account's own numbers: the functions' numbers if there are any, else counted by queries. */
import { watchAccount, type Numbers } from "./accounts.ts";
import { countFollows } from "./follows.ts";
import type { Me } from "./me.ts";
import { Value } from "./value.ts";

/** posts is absent if the functions keep no numbers. */
export type MyCounts = Omit<Numbers, "posts"> & Partial<Pick<Numbers, "posts">>;

/** The time in ms that the functions usually need. */
const usual = 2_000;

export class OwnCounts {
  /** null: not known yet, or there is no network. */
  readonly state = new Value<MyCounts | null>(null);
  private stop: () => void;
  private soon: ReturnType<typeof setTimeout> | undefined;
  private closed = false;

  /** Without numbers of the functions, it counts with two queries, a read each up to 1,000, and again after follows of this page. */
  constructor(private me: Me) {
    if (me.client.config.counts) {
      this.stop = watchAccount(me, me.id, (account) => this.state.set(account?.counts ?? null));
    } else {
      const stopActs = me.acts.on((act) => {
        if (!("follows" in act && act.follows)) return;
        clearTimeout(this.soon);
        this.soon = setTimeout(() => void this.refresh(), usual); // the functions write the lists
      });
      const stopReturn = me.onReturn(() => this.state.get() ?? void this.refresh());
      this.stop = () => {
        stopActs();
        stopReturn();
      };
      void this.refresh();
    }
  }

  /** Counts again; does nothing if the functions count. After a failure, the old numbers stay. */
  async refresh(): Promise<void> {
    if (this.me.client.config.counts || this.closed) return;
    const counted = await countFollows(this.me).catch(() => null);
    if (counted) this.state.set(counted);
  }

  close(): void {
    this.closed = true;
    this.stop();
    clearTimeout(this.soon);
    this.state.end();
  }
}
