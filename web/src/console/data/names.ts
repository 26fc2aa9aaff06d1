/**
 * Names of accounts, and authors of posts. Each is read once, when the page first shows it. If the document is deleted later, the
 * name or author stays known.
 */
import { doc, getDoc } from "firebase/firestore";
import { isId, isolatedText, Value } from "relationindex-client";
import type { Known } from "../words/action";
import { clip } from "../words/numbers";
import type { Db } from "./connect";
import { person, post } from "./documents";
import type { Fields } from "./fields";

export class Names implements Known {
  /** How many have become known. */
  readonly changes = new Value(0);
  readonly #db: Db;
  /** Names and authors by the path of the document; "" from when it is asked. */
  readonly #known = new Map<string, string>();

  constructor(db: Db) {
    this.#db = db;
  }

  person = (uid: string, most?: number): string => isolatedText(clip(this.name(uid), most));

  /** Returns a name as it is stored, or the id if no name is known. */
  name = (uid: string): string => this.#ask(this.#db.collections.users, uid, (data) => person(uid, data).name) || uid;

  author = (postId: string): string | undefined => this.#ask(this.#db.collections.posts, postId, (data) => post(postId, data).author) || undefined;

  /** Stores a name that was read anyway. */
  learn(uid: string, name: string): void {
    this.#learn(`${this.#db.collections.users}/${uid}`, name);
  }

  /** Stores the author of a post that was read anyway. */
  learnAuthor(postId: string, author: string): void {
    this.#learn(`${this.#db.collections.posts}/${postId}`, author);
  }

  #learn(path: string, text: string): void {
    if (text === "" || text === this.#known.get(path)) return;
    this.#known.set(path, text);
    this.changes.set(this.changes.get() + 1);
  }

  #ask(collection: string, id: string, read: (data: Fields) => string): string {
    const path = `${collection}/${id}`,
      known = this.#known.get(path);
    if (known !== undefined || !isId(id)) return known ?? "";
    this.#known.set(path, "");
    getDoc(doc(this.#db.firestore, collection, id)).then(
      (snap) => this.#learn(path, read(snap.data() ?? {})),
      () => this.#known.delete(path),
    );
    return "";
  }
}
