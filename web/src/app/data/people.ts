/** People: documents users/{uid}. Names are kept for as long as the page is open. */
import { documentId, endAt, getDocs, limit, orderBy, query, startAt, where, type Firestore, type Query } from "firebase/firestore";
import { usersPath } from "./paths";

/** Stands for an account that has no name, or is gone. */
export const nobody = "Someone";

/** Everyone with a name, by name. The field's automatic index serves it. One read for each that is shown. */
export const everyone = (db: Firestore): Query => query(usersPath(db), orderBy("name"));

/** Those whose name begins so, whatever its case. \uf8ff is past every letter in use. */
export function namesLike(db: Firestore, prefix: string): Query {
  const lower = prefix.toLowerCase();
  return query(usersPath(db), orderBy("nameLower"), startAt(lower), endAt(lower + "\uf8ff"));
}

export function nameOf(data: unknown): string {
  const name = typeof data === "object" && data !== null && "name" in data ? data.name : undefined;
  return typeof name === "string" && name ? name : nobody;
}

/** Names by id: one read for each account, once. Those asked for in the same moment go in one request of up to 30. */
export class Names {
  private known = new Map<string, Promise<string>>();
  private asked: { uid: string; resolve: (name: string) => void; reject: (error: unknown) => void }[] = [];

  constructor(private db: Firestore) {}

  /** Fails offline where the cache has no answer; asking again tries again. */
  get(uid: string): Promise<string> {
    let name = this.known.get(uid);
    if (!name) {
      name = new Promise((resolve, reject) => {
        if (this.asked.push({ uid, resolve, reject }) === 1) setTimeout(() => void this.ask());
      });
      this.known.set(uid, name);
      name.catch(() => this.known.delete(uid));
    }
    return name;
  }

  /** Takes over a name that came another way. */
  put(uid: string, name: string): void {
    this.known.set(uid, Promise.resolve(name));
  }

  private async ask(): Promise<void> {
    const asked = this.asked;
    this.asked = [];
    for (let i = 0; i < asked.length; i += 30) {
      const some = asked.slice(i, i + 30);
      try {
        const found = await getDocs(query(usersPath(this.db), where(documentId(), "in", some.map((a) => a.uid)), limit(some.length)));
        const names = new Map(found.docs.map((user) => [user.id, nameOf(user.data())]));
        for (const { uid, resolve, reject } of some) {
          const name = names.get(uid);
          if (name !== undefined || !found.metadata.fromCache) resolve(name ?? nobody);
          else reject(new Error("the name is not on this device")); // it may be on the server
        }
      } catch (error) {
        for (const { reject } of some) reject(error);
      }
    }
  }
}
