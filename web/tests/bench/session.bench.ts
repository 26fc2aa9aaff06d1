// The cost of 20 minutes for a reader of popular authors, by each source of the feed: `make bench-session`. In Chromium, with the real
// SDK, the package client/, the functions and the emulators. The reader opens the feed and looks at it, while a post comes every
// two minutes, and reads an older page.
//
// Minutes are shorter here, and so is what waits for half of one; where the page listens, each post is waited for. What depends on real time alone is not
// measured: heartbeats of an open listener, and the horizon, which an instance of Feed reads once a minute for all readers.
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { collection, getCountFromServer, query, serverTimestamp, Timestamp, where } from "firebase/firestore";
import type { Browser, Page } from "playwright-core";
import { type Config, follow } from "relationindex-client";
import { afterAll, expect } from "vitest";

import { open, test } from "../browser/browser.ts";
import { serve } from "../browser/served.ts";
import { client, idle, profile, write } from "../firestore.ts";
import { meOf } from "../me.ts";
import { type Addresses, root, start } from "../system.ts";
import type { Reader, Way } from "./session-page.ts";

/** ms that stand for a minute, where the page asks; on the emulator, a post to an array of 10,000 ids takes some seconds. */
const asking = Number(process.env["SESSION_MINUTE_MS"] ?? 30_000);

/** ms that stand for a minute, where the page listens: each post is waited for. */
const listening = 2_000;

const authors = Array.from({ length: 20 }, (_, n) => `author-of-ten-thousand-${String(n).padStart(5, "0")}`); // as long as an id of Firebase
const before = 40; // posts
const coming = 10;
const older = [12]; // the minutes at which an older page is read

const minuteOf = (way: Way) => (way === "feed" ? asking : listening);

/** ms. The emulator takes a minute for a listener's query over arrays of 10,000 ids, on a busy machine. */
const slow = 600_000;

interface Setting {
  name: string;
  variables: Record<string, string>;
  /** Of each author. */
  followers: number;
  /** Of an index document. */
  capacity: number;
  ways: [Way, string][];
}

const settings: Setting[] = [
  {
    name: "capacity 10,000",
    variables: { RELATIONINDEX_CAPACITY: "10000" },
    followers: 10_000,
    capacity: 10_000,
    ways: [
      ["feed", "Feed asked for news every 30 s (`feed`, the default)"],
      ["relations", "a listener on relations (`relationsFeed`)"],
    ],
  },
  {
    name: "capacity 500",
    variables: { RELATIONINDEX_CAPACITY: "500" },
    followers: 10_000,
    capacity: 500,
    ways: [["relations", "a listener on relations, capacity 500"]],
  },
  // A reader's timeline is the same however many others follow: to write theirs would only take its time.
  {
    name: "items",
    variables: { RELATIONINDEX_FEEDS: "relations,items" },
    followers: 1,
    capacity: 10_000,
    ways: [["timeline", "a listener on a timeline of items (`timelineFeed`)"]],
  },
];

const rows: string[] = [];
afterAll(() =>
  console.log(
    [
      `20 authors of 10,000 followers; where the page asks, a minute took ${asking} ms, and every 30 s was every ${asking / 2} ms.`,
      "",
      "||the client's reads|by rules|Feed's reads|Feed's calls|KB from Firestore|KB from Feed|USD for 1,000,000|",
      "|---|---|---|---|---|---|---|---|",
      ...rows,
    ].join("\n"),
  ),
);

for (const setting of settings) {
  test(`a session, ${setting.name}`, { timeout: 30 * 60_000 }, async ({ browser }) => {
    const page = await serve("bench/session-page.ts", "<body>", "production");
    // The function itself answers a page of another origin, as it does in production: with how long the answer may be kept.
    const system = await start({ ...setting.variables, RELATIONINDEX_CORS_ORIGINS: page.url });
    try {
      const account = await prepare(system.addresses, setting);
      for (const [way, name] of setting.ways) {
        const used = await session(browser, page.url, system, account, way);
        rows.push(row(name, used));
        console.log(`${rows.at(-1)}\n${JSON.stringify(used)}`); // the others take long
      }
    } finally {
      page.close();
      await system.stop();
    }
  });
}

interface Account {
  uid: string;
  email: string;
  password: string;
}

/** prepare writes what was there before: authors with followers, whom an account follows, and posts, fanned out by the functions. */
async function prepare(at: Addresses, { followers, capacity }: Setting): Promise<Account> {
  const db = client("owner", at.project, at);
  const others = Array.from({ length: followers - 1 }, () => randomBytes(14).toString("hex")); // the reader is the last who follows
  for (const author of authors) {
    const ids: string[] = [];
    for (let first = 0; first < others.length; first += capacity) {
      const part = others.slice(first, first + capacity);
      ids.push(String(ids.length + 1).padStart(5, "0"));
      const sizeBytes = part.reduce((sum, { length }) => sum + length + 1, 0);
      await write(
        {
          [`users/${author}/followers_index/${ids.at(-1)}`]: {
            followers: part,
            count: part.length,
            sizeBytes,
            version: Date.now(),
            changes: [],
            backfilled: true,
          },
        },
        db,
      );
    }
    await write({ [`users/${author}`]: { ...profile("Author"), ...(ids.length > 0 && { followers_index: ids, latestFollowersIndex: ids.at(-1) }) } }, db);
  }
  const account = { email: "reader@example.com", password: "correct horse" };
  const answer = await fetch(`http://${at.authHost}/identitytoolkit.googleapis.com/v1/accounts:signUp?key=demo`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ ...account, returnSecureToken: true }),
  });
  const { localId: uid } = (await answer.json()) as { localId: string };
  await write({ [`users/${uid}`]: profile("Reader") }, db);
  const reader = meOf(client({ sub: uid }, at.project, at), uid);
  for (const author of authors) await follow(reader, author);
  await idle(at);
  for (let n = 0; n < before; n++) {
    // Timelines leave out who followed five minutes after a post.
    await write(post(n, Timestamp.fromMillis(Date.now() - (before - n) * 1_000)), db);
    if (n % 10 === 9) await idle(at);
  }
  const mine = await getCountFromServer(query(collection(db, "_relations"), where("followers", "array-contains", uid)));
  expect(mine.data().count).toBe(before);
  return { ...account, uid };
}

const words = "the newest posts of people that I follow come first and what was said before is below them on another page".split(" ");
let written = 0;

/** post is a post by the nth author, of some 280 characters. */
function post(n: number, createdAt: unknown) {
  const author = authors[n % authors.length]!;
  const text = Array.from({ length: 40 }, () => `${words[Math.floor(Math.random() * words.length)]}${Math.floor(Math.random() * 100)}`).join(" ");
  return {
    [`posts/post-of-many-${String(++written).padStart(5, "0")}`]: { userId: author, audience: author, to: [], refs: [], hidden: false, createdAt, text },
  };
}

/** The cost of a session. */
interface Used {
  documents: Record<string, number>;
  /** Calls of the function, of which some are a browser's question whether a page may call another origin. */
  feed: { reads: number; calls: number; preflights: number; bytes: number };
  firestoreBytes: number;
  /** Beside these, bytes of documents that the emulator sent again: see session-page.ts. */
  again: number;
}

async function session(
  browser: Browser,
  url: string,
  { addresses: at, logs }: { addresses: Addresses; logs: string },
  account: Account,
  way: Way,
): Promise<Used> {
  const config: Config = {
    firebase: { projectId: at.project, apiKey: "demo" },
    database: at.database,
    emulators: { firestoreHost: at.firestoreHost, authHost: at.authHost },
    feedURL: at.feedURL,
  };
  const page = await open(browser, "about:blank");
  await page.goto(url);
  const received = await receive(page);
  const runs = runsOfFeed(logs).length;
  const inPage = <T>(act: (given: { config: Config; account: Account; way: Way; every: number }) => T | Promise<T>) =>
    page.evaluate(act as never, { config, account, way, every: minuteOf(way) / 2 }) as Promise<T>;
  const shown = () => inPage(() => (window as unknown as { reader: Reader }).reader.shown());
  const errors = async () => [...page.errors, ...(await inPage(() => (window as unknown as { reader: Reader }).reader.errors))];

  await inPage(({ config, account: { email, password }, way, every }) =>
    (window as unknown as { reader: Reader }).reader.open(config, email, password, way, every),
  );
  await expect.poll(async () => [(await shown()).length, await errors()], { interval: 20, timeout: slow }).toEqual([20, []]);
  const began = Date.now();
  const posts: string[] = [];
  const db = client("owner", at.project, at);
  for (let now = 1; now <= 20; now++) {
    await new Promise((resolve) => setTimeout(resolve, began + now * minuteOf(way) - Date.now()));
    if (older.includes(now)) await inPage(() => (window as unknown as { reader: Reader }).reader.older());
    if (now % 2 === 0 || posts.length === coming) continue;
    const next = post(posts.length, serverTimestamp());
    posts.unshift(Object.keys(next)[0]!.slice("posts/".length));
    await write(next, db);
    if (way !== "feed") await expect.poll(async () => (await shown())[0], { interval: 100, timeout: slow }).toBe(posts[0]);
  }
  // Everything has come, at its place, and the reader has seen no error: or this is no measurement.
  await expect.poll(async () => (await shown()).slice(0, coming), { timeout: slow }).toEqual(posts);
  const last = await shown();
  expect(new Set(last).size).toBe(20 + coming + older.length * 20);
  expect(await errors()).toEqual([]);
  const { documents, again } = await inPage(() => (window as unknown as { reader: Reader }).reader.counted);
  const [firestore, feed] = [received(at.firestoreHost), received(new URL(at.feedURL).host)];
  await page.context().close();
  const answered = runsOfFeed(logs).slice(runs);
  return {
    documents,
    firestoreBytes: firestore.bytes - again,
    again,
    feed: { reads: answered.reduce((sum, { reads }) => sum + reads, 0), calls: feed.requests, preflights: feed.requests - answered.length, bytes: feed.bytes },
  };
}

interface Received {
  /** Headers, and bodies as they came, compressed. */
  bytes: number;
  requests: number;
}

/** receive counts what a page receives from now on; what it returns says what came from a host. */
async function receive(page: Page): Promise<(host: string) => Received> {
  const cdp = await page.context().newCDPSession(page);
  const requests = new Map<string, { host: string; bytes: number }>();
  const add = (id: string, bytes: number) => {
    const request = requests.get(id);
    if (request) request.bytes += bytes;
  };
  cdp.on("Network.requestWillBeSent", ({ requestId, request: { url } }) => void requests.set(requestId, { host: new URL(url).host, bytes: 0 }));
  cdp.on("Network.responseReceived", ({ requestId, response }) => add(requestId, response.encodedDataLength));
  cdp.on("Network.dataReceived", ({ requestId, encodedDataLength }) => add(requestId, encodedDataLength));
  cdp.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const request = requests.get(requestId);
    if (request) request.bytes = encodedDataLength; // all of it
  });
  await cdp.send("Network.enable");
  return (host) => {
    const from = [...requests.values()].filter((request) => request.host === host);
    return { bytes: from.reduce((sum, { bytes }) => sum + bytes, 0), requests: from.length };
  };
}

/** runsOfFeed are the lines that Feed has logged, one for each request but preflights: with the reads that it counted, as Firestore bills them. */
function runsOfFeed(logs: string): { reads: number }[] {
  const file = readdirSync(logs, { recursive: true, encoding: "utf8" }).find((name) => name.endsWith("functions.log"));
  const lines = readFileSync(join(logs, file!), "utf8")
    .split("\n")
    .filter((line) => line.includes('"message":"run"') && line.includes('"function":"Feed"'));
  return lines.map((line) => JSON.parse(line) as { reads: number });
}

/** priceOf is a price of us-central1 in prices/list.go. */
function priceOf(name: "Read" | "Egress" | "Call"): number {
  const list = /"us-central1": +\{(.*)\}/.exec(readFileSync(join(root, "prices", "list.go"), "utf8"))![1]!;
  return Number(new RegExp(`${name}: ([\\d.]+)`).exec(list)![1]);
}

function row(name: string, { documents, feed, firestoreBytes }: Used): string {
  const direct = Object.values(documents).reduce((sum, n) => sum + n, 0);
  const byRules = documents["posts"] ?? 0; // one for each post of an open account that another gets: docs/rules.md
  const reads = direct + byRules + feed.reads;
  const usd = 1e6 * ((reads / 1e5) * priceOf("Read") + ((firestoreBytes + feed.bytes) / 2 ** 30) * priceOf("Egress") + (feed.calls / 1e6) * priceOf("Call"));
  const number = (n: number) => Math.round(n).toLocaleString("en-US");
  const calls = feed.calls > 0 ? `${feed.calls}, of which ${feed.preflights} preflights` : "0";
  return `|${[name, number(direct), number(byRules), number(feed.reads), calls, number(firestoreBytes / 1000), number(feed.bytes / 1000), number(usd)].join("|")}|`;
}
