/** A value with watchers, such as views. */
export class Value<T> {
  private watchers: Set<(value: T) => void> | undefined = new Set();

  constructor(private now: T) {}

  get(): T {
    return this.now;
  }

  set(value: T): void {
    this.now = value;
    for (const watcher of [...(this.watchers ?? [])]) if (this.watchers?.has(watcher)) watcher(value); // one may stop another
  }

  /** Calls the watcher at once, and on each change. Returns a function that stops it. */
  watch(watcher: (value: T) => void): () => void {
    this.watchers?.add(watcher);
    watcher(this.now);
    return () => this.watchers?.delete(watcher);
  }

  /** Ends all watchers. */
  end(): void {
    this.watchers = undefined;
  }
}
