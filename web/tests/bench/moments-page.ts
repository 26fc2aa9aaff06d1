// The page of moments.bench.ts: an app's feed, by the best source of its deployment, as the package gives it.
import { counted } from "./counted.ts";

import { signInWithEmailAndPassword } from "firebase/auth";
import { type Client, type Config, connect, type Entry, feed, Paged, writePost } from "relationindex-client";

let client: Client;
let list: Paged<Entry<unknown>> | undefined;

const page = {
  connect: (config: Config) => void (client = connect(config)),
  /** Signs in, and shows the account's feed; every: ms from one poll to the next. */
  async open(email: string, password: string, every: number): Promise<void> {
    list?.close();
    const { user } = await signInWithEmailAndPassword(client.auth, email, password);
    list = new Paged(feed(client.as(user), { every }));
    list.subscribe(({ error }) => error && page.errors.push(error.message));
  },
  shown: () => list?.state.get().items.map(({ post }) => post.text) ?? [],
  write: (text: string) => writePost(client.as(client.auth.currentUser!), { text }),
  /** As when another tab is looked at, and this one again. */
  hide(hidden: boolean): void {
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => (hidden ? "hidden" : "visible") });
    document.dispatchEvent(new Event("visibilitychange"));
  },
  documents: () => Object.values(counted.documents).reduce((sum, n) => sum + n, 0),
  posts: () => counted.documents["posts"] ?? 0,
  errors: [] as string[],
};
export type Moments = typeof page;
Object.assign(window, { page });
