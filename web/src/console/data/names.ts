/**
 * Names of accounts, and authors of posts. Each is read once, when the page first shows it. If the document is deleted later, the
 * name or author stays known.
 */
import { doc, type DocumentReference, getDoc } from "firebase/firestore";
import { isId, isolatedText } from "relationindex-client";
import type { Known } from "../words/action";
import { clip } from "../words/numbers";
import type { Db } from "./connect";
import { person, post } from "./documents";
import { posts, users } from "./queries";

export class Names implements Known {
  readonly #db: Db;
  readonly #changed: () => void;
  readonly #names = new Map<string, string>();
  readonly #authors = new Map<string, string>();
  readonly #asked = new Set<string>();

  /** changed is called when a name or author has been read. */
  constructor(db: Db, changed: () => void) {
    this.#db = db;
    this.#changed = changed;
  }

  person(uid: string, most?: number): string {
    return isolatedText(clip(this.name(uid), most));
  }

  /** Returns a name as it is stored, or the id if no name is known. */
  name(uid: string): string {
    if (isId(uid)) this.#ask(doc(users(this.#db), uid), (data) => this.learn(uid, person(uid, data).name));
    return this.#names.get(uid) ?? uid;
  }

  author(postId: string): string | undefined {
    if (isId(postId)) this.#ask(doc(posts(this.#db), postId), (data) => this.#authors.set(postId, post(postId, data).author));
    return this.#authors.get(postId) || undefined;
  }

  /** Stores a name that was read anyway. */
  learn(uid: string, name: string): void {
    if (name !== "") this.#names.set(uid, name);
  }

  /** Stores the author of a post that was read anyway. */
  learnAuthor(postId: string, author: string): void {
    this.#authors.set(postId, author);
  }

  #ask(ref: DocumentReference, learn: (data: Record<string, unknown>) => void): void {
    if (this.#asked.has(ref.path)) return;
    this.#asked.add(ref.path);
    getDoc(ref).then(
      (snap) => {
        const data = snap.data();
        if (!data) return;
        learn(data);
        this.#changed();
      },
      () => this.#asked.delete(ref.path),
    );
  }
}
