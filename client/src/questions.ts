/** Answers about the items of a page, such as whether the account likes them: asked together, and changed at once by its acts. */
import { backoff } from "./listen.ts";
import type { Me } from "./me.ts";
import { Value } from "./value.ts";

/** An answer is asked again when it or the page is looked at again, but not within this time, in ms: others act too. */
const fresh = 60_000;

/** The most tries after errors; then it is asked when the page is looked at again. */
const mostErrors = 5;

export class Questions<T> {
  private known = new Map<string, Value<T | undefined>>();
  /** When each was answered, in ms since 1970; 0: it was not. */
  private answered = new Map<string, number>();
  private asked = new Set<string>();
  /** What is asked, and not answered yet. */
  private underWay = new Set<string>();
  private asking: ReturnType<typeof setTimeout> | undefined;
  /** What only the device has answered. */
  private guesses = new Set<string>();
  /** Until the next try after an error; the errors in a row. */
  private retrying: ReturnType<typeof setTimeout> | undefined;
  private errors = 0;
  /** The acts under way, by item: until they end, nothing else changes it. */
  private acts = new Map<string, number>();
  private watched = new Set<string>();
  private stopReturn: () => void;
  private closed = false;

  /** ask: answers up to `most` at once, or as many as it can; it rejects if it can answer none. */
  constructor(
    me: Me,
    private most: number,
    private ask: (ids: string[]) => Promise<Map<string, T>>,
  ) {
    this.stopReturn = me.onReturn(() => this.askAgain());
  }

  /** Returns the answer for an item; undefined: not known yet, or closed. Items of the same moment are asked together. */
  of(id: string): Value<T | undefined> {
    let value = this.known.get(id);
    if (!value) {
      // Only what somebody looks at is asked again.
      value = new Value<T | undefined>(undefined, () => {
        this.watched.add(id);
        return () => void this.watched.delete(id);
      });
      this.known.set(id, value);
      this.answered.set(id, 0);
    }
    if (this.answered.get(id) === 0 || (!this.watched.has(id) && this.isOld(id))) this.want(id);
    return value;
  }

  private isOld(id: string): boolean {
    return Date.now() - (this.answered.get(id) ?? 0) >= fresh;
  }

  private want(id: string): void {
    if (this.closed || this.underWay.has(id)) return;
    this.asked.add(id);
    this.asking ??= setTimeout(() => void this.askAll());
  }

  private askAgain(): void {
    for (const id of this.watched) if (this.isOld(id)) this.want(id);
  }

  private async askAll(): Promise<void> {
    const ids = [...this.asked];
    this.asked.clear();
    for (const id of ids) this.underWay.add(id);
    this.asking = undefined;
    let failed = false;
    for (let i = 0; i < ids.length; i += this.most) {
      const some = ids.slice(i, i + this.most);
      const before = new Map(some.map((id) => [id, this.known.get(id)?.get()]));
      const answers = await this.ask(some).catch(() => null);
      failed ||= answers === null;
      for (const id of some) {
        this.underWay.delete(id);
        const value = this.known.get(id);
        const answer = answers?.get(id);
        if (answer === undefined || this.acts.has(id)) continue;
        this.answered.set(id, Date.now());
        // An act of this page meanwhile is newer.
        if (value && (value.get() === before.get(id) || this.guesses.delete(id))) value.set(answer);
      }
    }
    this.errors = failed ? this.errors + 1 : 0;
    clearTimeout(this.retrying);
    if (failed && this.errors <= mostErrors && !this.closed) this.retrying = setTimeout(() => this.askAgain(), backoff(this.errors));
  }

  /** Shows an answer of the device, until the server answers. */
  guess(id: string, to: T): void {
    const value = this.known.get(id);
    if (!value || value.get() !== undefined) return;
    this.guesses.add(id);
    value.set(to);
  }

  /** Shows what an act makes of an item, and does the act. If it fails, the old answer returns. */
  async change(id: string, to: T, act: () => Promise<void>): Promise<void> {
    const value = this.of(id);
    const before = value.get();
    this.asked.delete(id); // the answer would take the act's place
    const guessed = this.guesses.delete(id);
    value.set(to);
    this.acts.set(id, (this.acts.get(id) ?? 0) + 1);
    try {
      await act();
      this.answered.set(id, Date.now());
    } catch (error) {
      if (value.get() === to) value.set(before);
      if (guessed) this.guesses.add(id);
      if (guessed || before === undefined) this.want(id);
      throw error;
    } finally {
      const others = this.acts.get(id)! - 1;
      if (others > 0) this.acts.set(id, others);
      else this.acts.delete(id);
    }
  }

  /** Sets what the account has done elsewhere on the page, if the item is known. */
  put(id: string, to: T): void {
    if (this.known.get(id)?.get() === undefined || this.acts.has(id)) return;
    this.guesses.delete(id);
    this.known.get(id)!.set(to);
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.asking);
    clearTimeout(this.retrying);
    this.stopReturn();
    for (const value of this.known.values()) value.end();
  }
}
