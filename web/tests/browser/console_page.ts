// What the tests of the console share: a system with small index documents and small pages of jobs, a writer that writes
// what clients write, and the page.
import { deleteApp, initializeApp } from "firebase/app";
import { connectFirestoreEmulator, deleteDoc, doc, type Firestore, getFirestore, serverTimestamp, setDoc, Timestamp, writeBatch } from "firebase/firestore";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { start, type System } from "../system.ts";

export const capacity = 4;

/** Starts a system of its own: its numbers are those of one test at a time. */
export async function startSmall(): Promise<System & { webURL: string }> {
  process.env["RELATIONINDEX_CHUNK"] = "10";
  const system = await start({ capacity });
  if (!system.webURL) throw new Error("relationindex dev serves no pages");
  return { ...system, webURL: system.webURL };
}

export function launch(): Promise<Browser> {
  const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
  return chromium.launch({ executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium", args });
}

/** Opens the console; what it logs as an error, or throws, is in errors. */
export async function open(browser: Browser, webURL: string, author = "", options: BrowserContextOptions = {}): Promise<{ page: Page; errors: string[] }> {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })).newPage();
  const errors: string[] = [];
  page.on("pageerror", (err) => errors.push(err.message));
  await page.goto(`${webURL}/console/${author === "" ? "" : `#${new URLSearchParams({ author })}`}`);
  return { page, errors };
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

  close(): Promise<void> {
    return deleteApp(this.#app);
  }
}
