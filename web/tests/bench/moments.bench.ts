// What single moments of a feed cost, by the best source of each preset: `npm run bench -- moments` in web. In Chromium, with the package
// client/, the functions and the emulators. The reader follows 20 people; 40 posts were there before.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { serverTimestamp, Timestamp } from "firebase/firestore";
import type { Config } from "relationindex-client";
import { afterAll, expect } from "vitest";

import { open, test } from "../browser/browser.ts";
import { serve } from "../browser/served.ts";
import { client, idle, profile, write } from "../firestore.ts";
import { type Addresses, root, start } from "../system.ts";
import type { Moments } from "./moments-page.ts";

/** ms that stand for the 30 s from one poll to the next. */
const every = 2_000;

/** ms that stand for an hour in a tab that nobody sees: 120 polls. */
const hour = 120 * 250;

const authors = Array.from({ length: 20 }, (_, n) => `author${n}`);

const presets = ["popular", "small", "inbox"];

const rows: string[] = [];
afterAll(() =>
  console.log(
    ["|preset|moment|the client's documents|posts of these, of which each costs a read by the rules|Feed's reads|", "|---|---|---|---|---|", ...rows].join(
      "\n",
    ),
  ),
);

for (const preset of presets) {
  test(`moments of ${preset}`, { timeout: 10 * 60_000 }, async ({ browser }) => {
    const served = await serve("bench/moments-page.ts", "<body>", "production");
    const {
      addresses: at,
      logs,
      stop,
    } = await start({
      RELATIONINDEX_ENV: join(root, "examples", "presets", `${preset}.env`),
      RELATIONINDEX_NO_OWN_POSTS: "false",
      RELATIONINDEX_CAPACITY: preset === "small" ? "500" : "10000", // that of tests is smaller
      RELATIONINDEX_CORS_ORIGINS: served.url,
    });
    try {
      const db = client("owner", at.project, at);
      const [ada, bob] = [await signUp(at, "ada"), await signUp(at, "bob")];
      await write(Object.fromEntries([...authors, ada, bob].map((id) => [`users/${id}`, profile(id)])), db);
      for (const author of authors)
        await write(
          { [`users/${author}/followers/${ada}`]: { createdAt: serverTimestamp() }, [`users/${author}/followers/${bob}`]: { createdAt: serverTimestamp() } },
          db,
        );
      await idle(at);
      const post = (n: number, createdAt: unknown) => ({
        [`posts/post${n}`]: { userId: authors[n % 20], audience: authors[n % 20], to: [], refs: [], hidden: false, createdAt, text: `text ${n}` },
      });
      for (let n = 0; n < 40; n++) await write(post(n, Timestamp.fromMillis(Date.now() - (40 - n) * 1_000)), db);
      await idle(at);

      const page = await open(browser, "about:blank");
      await page.goto(served.url);
      const config = (await (await fetch(`${at.webURL}/config.json`)).json()) as Config;
      const inPage = <T>(act: (page: Moments, given: { config: Config; every: number; email: string; hidden: boolean }) => T | Promise<T>, given = {}) =>
        page.evaluate(`(${act})(window.page, ${JSON.stringify({ config, every, ...given })})`) as Promise<T>;
      const shown = () => inPage((it) => it.shown());
      const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
      const spent = async () => ({ documents: await inPage((it) => it.documents()), posts: await inPage((it) => it.posts()), feed: readsOfFeed(logs) });
      const moment = async (name: string, act: () => Promise<unknown>) => {
        const before = await spent();
        await act();
        const after = await spent();
        rows.push(`|${[preset, name, after.documents - before.documents, after.posts - before.posts, after.feed - before.feed].join("|")}|`);
      };

      await inPage((it, { config }) => it.connect(config));
      await moment("a first page of 20", async () => {
        await inPage((it, { email, every }) => it.open(email, "correct horse", every), { email: "ada@example.com", every: 3_600_000 });
        await expect.poll(async () => (await shown()).length).toBe(20);
        await wait(2_000); // what was too much would come now
      });
      await moment("an own post, until the feed has it", async () => {
        await inPage((it) => it.write("mine"));
        expect((await shown())[0]).toBe("mine");
        await idle(at);
        await wait(7_000); // both looks after an act
        expect((await shown()).filter((text) => text === "mine").length).toBe(1);
      });
      await moment("an hour in a hidden tab, while 10 posts come", async () => {
        await inPage((it, { hidden }) => it.hide(hidden), { hidden: true });
        for (let n = 40; n < 50; n++) {
          await write(post(n, serverTimestamp()), db);
          await wait(hour / 10);
        }
        await idle(at);
      });
      await moment("and the look at it again", async () => {
        await inPage((it, { hidden }) => it.hide(hidden), { hidden: false });
        await wait(5_000);
      });
      await moment("another account signs in: its first page", async () => {
        await inPage((it, { email, every }) => it.open(email, "correct horse", every), { email: "bob@example.com", every: 3_600_000 });
        await expect.poll(async () => (await shown()).length).toBe(20);
        await wait(2_000);
      });
      await inPage((it, { email, every }) => it.open(email, "correct horse", every), { email: "bob@example.com" });
      await expect.poll(async () => (await shown()).length).toBe(20);
      await wait(5_000); // the server answers after the cache
      await moment("five polls without news, or as long with a listener", () => wait(5 * every));
      expect(await inPage((it) => it.errors)).toEqual([]);
      await page.context().close();
    } finally {
      served.close();
      await stop();
    }
  });
}

async function signUp(at: Addresses, name: string): Promise<string> {
  const answer = await fetch(`http://${at.authHost}/identitytoolkit.googleapis.com/v1/accounts:signUp?key=demo`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email: `${name}@example.com`, password: "correct horse", returnSecureToken: true }),
  });
  return ((await answer.json()) as { localId: string }).localId;
}

/** The reads that Feed has counted so far, as Firestore bills them. */
function readsOfFeed(logs: string): number {
  const file = readdirSync(logs, { recursive: true, encoding: "utf8" }).find((name) => name.endsWith("functions.log"));
  const lines = readFileSync(join(logs, file!), "utf8")
    .split("\n")
    .filter((line) => line.includes('"message":"run"') && line.includes('"function":"Feed"'));
  return lines.reduce((sum, line) => sum + (JSON.parse(line) as { reads: number }).reads, 0);
}
