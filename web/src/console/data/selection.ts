/** Selection of the author, post and reader to show. It is in the address, so that it can be bookmarked and survives a reload. */
import { isId } from "relationindex-client";

export interface Selection {
  author: string;
  post: string;
  /** The account whose timeline is shown. */
  reader: string;
}

export class Selected {
  #tell: ((now: Selection) => void)[] = [];

  constructor() {
    addEventListener("hashchange", () => this.#changed());
  }

  get now(): Selection {
    const values = new URLSearchParams(location.hash.slice(1));
    const id = (name: string) => [values.get(name) ?? ""].find(isId) ?? "";
    return { author: id("author"), post: id("post"), reader: id("reader") };
  }

  /** Selects an author, or one of the author's posts, and a reader. Without `to.reader`, the reader stays the same. */
  choose(to: { author: string; post?: string; reader?: string }): void {
    const { author, post = "", reader = this.now.reader } = to;
    const values = new URLSearchParams({ author, ...(post && { post }), ...(reader && { reader }) });
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
