/** A value with watchers, such as views. It is a store as Svelte knows it: `$value` works. */
export class Value<T> {
  private watchers: Set<(value: T) => void> | undefined = new Set();
  private stop: (() => void) | undefined;
  private begun = false;

  /** begin: called with the first watcher; it returns a function that is called when the last watcher has gone. */
  constructor(
    private now: T,
    private begin?: () => () => void,
  ) {}

  get(): T {
    return this.now;
  }

  set(value: T): void {
    this.now = value;
    for (const watcher of [...(this.watchers ?? [])]) if (this.watchers?.has(watcher)) watcher(value); // one may stop another
  }

  /** Calls the watcher at once, and on each change. Returns a function that stops it. */
  subscribe(watcher: (value: T) => void): () => void {
    const one = (value: T) => watcher(value); // so that the same function may watch twice
    this.watchers?.add(one);
    watcher(this.now);
    if (this.watchers?.size && !this.begun) {
      this.begun = true; // before: what begins may call watchers, and these may watch
      this.stop = this.begin?.();
      if (!this.watchers.size) this.rest();
    }
    return () => {
      if (this.watchers?.delete(one) && this.watchers.size === 0) this.rest();
    };
  }

  private rest(): void {
    if (!this.stop) return; // it is still beginning, or never began
    this.begun = false;
    this.stop();
    this.stop = undefined;
  }

  /** Ends all watchers, for good. */
  end(): void {
    this.watchers = undefined;
    this.rest();
  }
}
