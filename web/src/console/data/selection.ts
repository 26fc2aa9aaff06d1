/** Which author and which post are shown: in the address, so that it can be bookmarked and survives a reload. */

export interface Selection {
  author: string;
  post: string;
}

export class Selected {
  #tell: ((now: Selection) => void)[] = [];

  constructor() {
    addEventListener("hashchange", () => this.#changed());
  }

  get now(): Selection {
    const values = new URLSearchParams(location.hash.slice(1));
    return { author: values.get("author") ?? "", post: values.get("post") ?? "" };
  }

  /** Shows an author, or one of their posts. */
  choose(to: { author: string; post?: string }): void {
    const values = new URLSearchParams({ author: to.author, ...(to.post ? { post: to.post } : {}) });
    if (location.hash.slice(1) === values.toString()) return;
    history.replaceState(null, "", `#${values}`);
    this.#changed();
  }

  /** Calls tell now and after each change. */
  follow(tell: (now: Selection) => void): void {
    this.#tell.push(tell);
    tell(this.now);
  }

  #changed(): void {
    for (const tell of this.#tell) tell(this.now);
  }
}
