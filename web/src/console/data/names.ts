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
  /** Names of users/{id}, and authors of posts/{id}; "" from when it is asked. */
  readonly #known = new Map<string, string>();

  constructor(private readonly db: Db) {}

  person = (uid: string, most?: number): string => isolatedText(clip(this.name(uid), most));

  /** Returns a name as it is stored, or the id if no name is known. */
  name = (uid: string): string => this.#ask("users", uid, (data) => person(uid, data).name) || uid;

  author = (postId: string): string | undefined => this.#ask("posts", postId, (data) => post(postId, data).author) || undefined;

  /** Stores the name of a user, or the author of a post, that was read anyway. */
  learn(of: "users" | "posts", id: string, text: string): void {
    if (text === "" || text === this.#known.get(`${of}/${id}`)) return;
    this.#known.set(`${of}/${id}`, text);
    this.changes.set(this.changes.get() + 1);
  }

  #ask(of: "users" | "posts", id: string, read: (data: Fields) => string): string {
    const known = this.#known.get(`${of}/${id}`);
    if (known !== undefined || !isId(id)) return known ?? "";
    this.#known.set(`${of}/${id}`, "");
    getDoc(doc(this.db.firestore, this.db.collections[of], id)).then(
      (snap) => this.learn(of, id, read(snap.data() ?? {})),
      () => this.#known.delete(`${of}/${id}`),
    );
    return "";
  }
}
