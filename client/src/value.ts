/** A value that others watch: what a view shows of something that changes. */
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

  /** Calls back at once and on each change. Returns how to stop. */
  watch(watcher: (value: T) => void): () => void {
    this.watchers?.add(watcher);
    watcher(this.now);
    return () => this.watchers?.delete(watcher);
  }

  /** Calls nobody back from now on. */
  end(): void {
    this.watchers = undefined;
  }
}
