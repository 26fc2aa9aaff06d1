// The page of session.bench.ts: a reader, whose feed is read in one of the ways that are compared.
import { counted } from "./counted.ts";

import { signInWithEmailAndPassword } from "firebase/auth";
import { type Config, connect, type Entry, feed, type Fields, type Me, Paged, relationsFeed, type Source, timelineFeed } from "relationindex-client";

/** Each opens the feed; every: ms from one look to the next, of what looks. */
const ways = {
  relations: (me) => relationsFeed(me),
  timeline: (me) => timelineFeed(me, "items"),
  feed: (me, every) => feed(me, { every }),
} satisfies Record<string, (me: Me<Fields>, every: number) => Source<Entry>>;

export type Way = keyof typeof ways;

export interface Reader {
  open(config: Config, email: string, password: string, way: Way, every: number): Promise<void>;
  /** Reads the next page. */
  older(): Promise<void>;
  shown(): string[];
  /** Of the feed. */
  errors: string[];
  counted: typeof counted;
}

let list: Paged<Entry>;

const reader: Reader = {
  async open(config, email, password, way, every) {
    const client = connect(config);
    const { user } = await signInWithEmailAndPassword(client.auth, email, password);
    list = new Paged(ways[way](client.as(user), every));
    list.subscribe(({ error, moreError }) => [error, moreError].forEach((one) => one && reader.errors.push(one.message)));
  },
  older: () => list.loadMore(),
  shown: () => list.state.get().items.map(({ id }) => id),
  errors: [],
  counted,
};
Object.assign(window, { reader });
