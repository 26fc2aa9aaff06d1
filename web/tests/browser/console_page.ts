// What the tests of the console share: a system with small index documents and small pages of jobs, a writer that writes
// what clients write, and the page.
import { deleteApp, initializeApp } from "firebase/app";
import { connectFirestoreEmulator, deleteDoc, doc, type Firestore, getFirestore, serverTimestamp, setDoc, Timestamp, writeBatch } from "firebase/firestore";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { start, type System } from "../system.ts";
import { open, type Trouble } from "./browser.ts";

export const capacity = 4;

/** Starts a system of its own, whose numbers are those of one test at a time: with small pages and lanes of jobs. */
export async function startSmall(): Promise<System & { webURL: string }> {
  Object.assign(process.env, { RELATIONINDEX_CHUNK: "10", RELATIONINDEX_LANE: "30" });
  const system = await start({ capacity });
  if (!system.webURL) throw new Error("relationindex dev serves no pages");
  return { ...system, webURL: system.webURL };
}

/** Opens the console on an author; "" for nobody yet. */
export function openConsole(browser: Browser, webURL: string, author = "", options: BrowserContextOptions = {}): Promise<Page & Trouble> {
  return open(browser, `${webURL}/console/${author === "" ? "" : `#${new URLSearchParams({ author })}`}`, options);
}

/** Writes as clients do, past the rules. */
export class Writer {
  readonly db: Firestore;
  readonly #app;

  constructor(at: System) {
    this.#app = initializeApp({ projectId: at.project, apiKey: "demo" }, `writer-${at.firestoreHost}`);
    this.db = getFirestore(this.#app);
    const [host, port] = at.firestoreHost.split(":");
    connectFirestoreEmulator(this.db, host!, Number(port), { mockUserToken: "owner" });
  }

  signUp(id: string, name: string): Promise<void> {
    return setDoc(doc(this.db, "users", id), { name, nameLower: name.toLowerCase() }, { merge: true });
  }

  async follow(author: string, ...followers: string[]): Promise<void> {
    const batch = writeBatch(this.db);
    for (const f of followers) batch.set(doc(this.db, "users", author, "followers", f), { createdAt: serverTimestamp() });
    await batch.commit();
  }

  unfollow(author: string, follower: string): Promise<void> {
    return deleteDoc(doc(this.db, "users", author, "followers", follower));
  }

  async post(author: string, n: number, text = "Hello"): Promise<void> {
    const batch = writeBatch(this.db);
    for (let i = 0; i < n; i++) {
      batch.set(doc(this.db, "posts", `${author}-${String(i).padStart(3, "0")}`), { userId: author, createdAt: Timestamp.fromMillis(Date.UTC(2026, 0, 1) + i * 60_000), text });
    }
    await batch.commit();
  }

  /** A queued job, as the engine enqueues it; other fields may be given. */
  job(id: string, fields: Record<string, unknown>): Promise<void> {
    const now = Timestamp.now();
    return setDoc(doc(this.db, "_functions", id), { state: "queued", wakeAt: now, createdAt: now, updatedAt: now, ...fields });
  }

  close(): Promise<void> {
    return deleteApp(this.#app);
  }
}
