// How the app loads on a slow phone: `npm run bench -- phone` in web. In Chromium with a slower processor and network, for an account that
// is signed in and has a feed of 20 posts. PHONE_BEFORE names the folder of another built web/dist: its loads alternate with those of web/dist.
//
// The dev server compresses nothing. Here, the files are served with gzip, as by web hosts, and over HTTP/1.1; what the emulators and Feed
// send is not compressed. Each load has a new context, which has kept neither files nor documents. A worker of the page would not be slower.
import { join } from "node:path";
import { initializeApp } from "firebase/app";
import { connectAuthEmulator, createUserWithEmailAndPassword, initializeAuth } from "firebase/auth";
import { serverTimestamp, Timestamp } from "firebase/firestore";
import type { Browser, Locator } from "playwright-core";
import { expect } from "vitest";

import { open, test, watchShifts } from "../browser/browser.ts";
import { client, idle, profile, write } from "../firestore.ts";
import { root, start } from "../system.ts";
import { serveBuilt } from "./built.ts";

const loads = 5;
const words = "What was said before is below, and the newest posts of the people that I follow come first.".split(" ");
const columns = ["first paint, ms", "largest paint, ms", "20 posts, ms", "layout shifts", "scripts, KB", "fonts, KB", "Like, ms", "People, ms"];
const before = process.env["PHONE_BEFORE"];
const builds = [...(before ? [{ name: "before", folder: before }] : []), { name: "web/dist", folder: join(root, "web", "dist") }];

test("the app on a slow phone", { timeout: 15 * 60_000 }, async ({ browser }) => {
  const { addresses: at, stop } = await start({ RELATIONINDEX_COUNTS: "true", RELATIONINDEX_NOTIFICATIONS: "true" });
  const served = await Promise.all(builds.map(({ folder }) => serveBuilt(folder, at.webURL)));
  try {
    const db = client("owner", at.project, at);
    const auth = initializeAuth(initializeApp({ projectId: at.project, apiKey: "demo" }, "phone"));
    connectAuthEmulator(auth, `http://${at.authHost}`, { disableWarnings: true });
    const { user } = await createUserWithEmailAndPassword(auth, "reader@example.com", "correct horse");
    const authors = Array.from({ length: 10 }, (_, n) => `author${n}`);
    await write(Object.fromEntries([user.uid, ...authors].map((id) => [`users/${id}`, profile(`Name of ${id}`)])), db);
    await write(Object.fromEntries(authors.map((id) => [`users/${id}/followers/${user.uid}`, { createdAt: serverTimestamp() }])), db);
    await idle(at);
    for (let n = 0; n < 20; n++) {
      const [author, createdAt] = [authors[n % 10], Timestamp.fromMillis(Date.now() - (20 - n) * 1_000)];
      const text = `Post number ${n}. ${Array.from({ length: (n * 7) % 60 }, (_, i) => words[i % words.length]).join(" ")}`;
      await write({ [`posts/post${n}`]: { userId: author, audience: author, to: [], refs: [], hidden: false, createdAt, text } }, db);
    }
    await idle(at);
    const settled = () => new Promise((resolve) => setTimeout(resolve, 2_000)).then(() => idle(at)); // first, the page sends what it has to
    const found: number[][][] = builds.map(() => []);
    for (let n = 0; n < loads; n++) for (const [i, { url }] of served.entries()) found[i]!.push(await load(browser, url, JSON.stringify(user), settled));
    const rounded = (_: string, value: unknown) => (typeof value === "number" ? Number(value.toFixed(3)) : value);
    const median = (column: number, rows: number[][]) => rows.map((row) => row[column]!).sort((a, b) => a - b)[Math.floor(loads / 2)]!;
    const row = (rows: number[][]) => columns.map((name, i) => median(i, rows).toFixed(name === "layout shifts" ? 4 : name.endsWith("KB") ? 1 : 0));
    const lines = [["build", ...columns], ["---", ...columns.map(() => "---:")], ...builds.map(({ name }, i) => [name, ...row(found[i]!)])];
    console.log([`Medians of ${loads} loads:`, "", ...lines.map((cells) => `|${cells.join("|")}|`), "", JSON.stringify(found, rounded)].join("\n"));
  } finally {
    served.forEach(({ close }) => close());
    await stop();
  }
});

/** load loads the app once, and uses it. It returns a number for each column. */
async function load(browser: Browser, url: string, session: string, settled: () => Promise<void>): Promise<number[]> {
  const storageState = { cookies: [], origins: [{ origin: url, localStorage: [{ name: "firebase:authUser:demo:[DEFAULT]", value: session }] }] };
  const phone = { viewport: { width: 360, height: 760 }, isMobile: true, hasTouch: true, reducedMotion: "no-preference" } as const;
  const page = await open(browser, "about:blank", { baseURL: url, storageState, ...phone });
  const cdp = await page.context().newCDPSession(page);
  const [kinds, sizes] = [new Map<string, string>(), new Map<string, number>()]; // of requests, by their ids
  cdp.on("Network.responseReceived", ({ requestId, type }) => void kinds.set(requestId, type));
  cdp.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => void sizes.set(requestId, encodedDataLength));
  const sizeOf = (kind: string) => [...sizes].reduce((sum, [id, size]) => sum + (kinds.get(id) === kind ? size / 1000 : 0), 0);
  await cdp.send("Network.enable");
  await cdp.send("Network.emulateNetworkConditions", { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 750e3 / 8 });
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  const shifts = await watchShifts(page);
  await page.addInitScript(() => {
    const seen = Object.assign(window, { seen: { largest: 0, posts: 0 } }).seen;
    new PerformanceObserver((list) => (seen.largest = list.getEntries().at(-1)!.startTime)).observe({ type: "largest-contentful-paint", buffered: true });
    const isPost = ({ textContent }: Element) => textContent.includes("Post number");
    const look = () => seen.posts === 0 && [...document.querySelectorAll("article")].filter(isPost).length >= 20 && (seen.posts = performance.now());
    new MutationObserver(look).observe(document, { childList: true, characterData: true, subtree: true });
  });
  await page.goto("/");
  const list = page.getByRole("list", { name: "Posts of the people you follow" });
  await list.getByRole("article").nth(19).waitFor({ state: "attached" });
  await page.waitForTimeout(5_000); // names, numbers and likes
  const paints = "[performance.getEntriesByName('first-contentful-paint')[0].startTime, window.seen.largest, window.seen.posts]";
  const first = [...((await page.evaluate(paints)) as number[]), await shifts(), sizeOf("Script"), sizeOf("Font")];
  const like = list.getByRole("button", { name: /^Like/ }).and(page.locator("[aria-pressed]")).first();
  const liked = await tap(like);
  await settled();
  await like.tap(); // the next load finds it as this one did
  await settled();
  const opened = await tap(page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /^People/ }), "People");
  await page.getByRole("heading", { level: 1, name: "People" }).waitFor();
  expect([page.errors, Math.min(...first.slice(0, 3)) > 0]).toEqual([[], true]);
  await page.context().close();
  return [...first, liked, opened];
}

/** tap returns the ms from a tap until the next frame is drawn that has a heading, or, without one, in which more or fewer buttons are pressed. */
async function tap(target: Locator, heading = ""): Promise<number> {
  await target.evaluate((_, heading) => {
    const isThere = () => [...document.querySelectorAll("h1")].some(({ textContent }) => textContent.trim() === heading);
    const state = () => (heading ? isThere() : document.querySelectorAll("[aria-pressed=true]").length);
    const was = state();
    const drawn = new Promise((resolve) => {
      const next = (from: number) => requestAnimationFrame(() => (state() === was ? next(from) : setTimeout(() => resolve(performance.now() - from))));
      addEventListener("pointerdown", ({ timeStamp }) => next(timeStamp), { capture: true, once: true });
    });
    Object.assign(window, { drawn });
  }, heading);
  await target.tap();
  return (await target.page().evaluate("window.drawn")) as number;
}
