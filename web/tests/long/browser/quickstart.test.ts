// The quick starts of docs/quickstart: files and commands, copied from the pages into an empty folder, in Chromium.
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { collection, getDocs, query, where } from "firebase/firestore";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";

import { open, test, type Trouble, violations } from "../../browser/browser.ts";
import { client, idle, publish } from "../../firestore.ts";
import { filesOf, type Files, write } from "../../snippets/quickstart.ts";
import { type Addresses, root, start } from "../../system.ts";

/** The system as the pages start it. */
let at: Addresses;
let stop: () => Promise<void>;
beforeAll(async () => void ({ addresses: at, stop } = await start({ RELATIONINDEX_NO_OWN_POSTS: "false" })));
afterAll(() => stop());

/** copied is a page's files in an empty folder, with the packages that npm would install. The port is that of this system. */
function copied(page: string): string {
  const folder = mkdtempSync(join(tmpdir(), "quickstart-"));
  const files: Files = new Map();
  let named = 0;
  for (const [name, text] of filesOf(page)) {
    named += text.split("http://127.0.0.1:4000").length - 1;
    files.set(name, text.replaceAll("http://127.0.0.1:4000", at.webURL));
  }
  expect(named).toBe(1);
  write(files, folder);
  symlinkSync(join(root, "web", "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** served serves a folder as any static server does. */
async function served(folder: string): Promise<{ url: string; server: Server }> {
  const types: Record<string, string> = { ".html": "text/html", ".js": "text/javascript" };
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://x").pathname;
    const file = join(folder, path === "/" ? "index.html" : path);
    if (!existsSync(file)) return void response.writeHead(404).end();
    response.writeHead(200, { "Content-Type": types[extname(file)] ?? "application/octet-stream" }).end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

type Screen = Page & Trouble;

/** visit opens the page in a browser of its own, without an account. */
async function visit(browser: Browser, url: string): Promise<Screen> {
  const page = await open(browser, "about:blank", { baseURL: url });
  await page.goto("/");
  return page;
}

async function signUp(page: Screen, name: string): Promise<void> {
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("E-mail").fill(`${name.toLowerCase()}-${Date.now()}@example.com`);
  await page.getByLabel("Password").fill("correct horse");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByText("Nothing here yet.").waitFor();
  // Whoever comes next finds the name.
  const named = query(collection(client("owner", at.project, at), "users"), where("name", "==", name));
  await expect.poll(async () => (await getDocs(named)).size).toBe(1);
}

const posts = (page: Screen) => page.getByRole("list", { name: "Posts" }).getByRole("listitem");

async function say(page: Screen, text: string): Promise<void> {
  await page.getByLabel("Write a post").fill(text);
  await page.getByRole("button", { name: "Post", exact: true }).click();
}

/** story is what every quick start can do. Names are new to the system that both tests share. */
async function story(browser: Browser, url: string, [adaName, bobName]: [string, string]): Promise<void> {
  const alone = await open(browser, "about:blank", { baseURL: url });
  await alone.route("**/config.json", (route) => route.abort());
  await alone.goto("/");
  await alone.getByText("Is relationindex dev running?").waitFor();

  const ada = await visit(browser, url);
  expect(await violations(ada)).toEqual([]);
  await signUp(ada, adaName);
  const bob = await visit(browser, url);
  await signUp(bob, bobName);
  expect(await violations(bob)).toEqual([]);
  const unchanged: string[] = [];
  bob.on("response", (answer) => {
    if (answer.status() === 304) unchanged.push(answer.request().headers()["if-none-match"] ?? "");
  });

  // Follow; a post comes to the feeds of its follower and of its author, with her name.
  await bob.getByRole("button", { name: `Follow ${adaName}` }).click();
  await bob.getByRole("button", { name: `Unfollow ${adaName}` }).waitFor();
  await idle(at);
  await say(ada, "Good morning.");
  for (const page of [ada, bob]) {
    await posts(page).filter({ hasText: "Good morning." }).filter({ hasText: adaName }).waitFor();
  }

  // More than a page, all older.
  const owner = client("owner", at.project, at);
  await publish(await uidOf(ada), 24, "Old", owner);
  await idle(at);
  await bob.getByRole("button", { name: "Load older" }).waitFor();
  await expect.poll(() => posts(bob).count()).toBe(20);

  // Without a network: the error is said, the list stays. When it is back, nothing has changed.
  await bob.context().setOffline(true);
  await bob.getByRole("button", { name: "Load older" }).click();
  await bob.getByRole("alert").getByText("That did not work").waitFor();
  expect(await violations(bob)).toEqual([]);
  expect(await posts(bob).count()).toBe(20);
  unchanged.length = 0;
  await bob.context().setOffline(false);
  await bob.getByRole("alert").waitFor({ state: "hidden" });
  await expect.poll(() => unchanged).toEqual([expect.stringMatching(/^W\/"/)]);
  expect(await posts(bob).count()).toBe(20);

  await bob.getByRole("button", { name: "Load older" }).click();
  await expect.poll(() => posts(bob).count()).toBe(25);
  await bob.getByRole("button", { name: "Load older" }).waitFor({ state: "hidden" });

  // A new post comes on top; older pages stay.
  await say(ada, "Good evening.");
  await expect.poll(() => posts(bob).count()).toBe(26);
  expect(await posts(bob).first().textContent()).toContain("Good evening.");
  expect(await violations(bob)).toEqual([]);

  // Loading is shown as long as it takes; who was signed in still is.
  let answer = (): void => {};
  const held = new Promise<void>((resolve) => (answer = resolve));
  await bob.route(`${at.webURL}/Feed?**`, (route) => held.then(() => route.continue()));
  await bob.reload();
  await bob.getByText("Loading…").waitFor();
  answer();
  await expect.poll(() => posts(bob).count()).toBe(20);
  await bob.getByText("Loading…").waitFor({ state: "hidden" });

  await bob.getByRole("button", { name: `Unfollow ${adaName}` }).click();
  await bob.getByText("Nothing here yet.").waitFor();
  await bob.getByRole("button", { name: "Sign out" }).click();
  await bob.getByRole("button", { name: "Sign in" }).waitFor();
  expect([...ada.errors, ...bob.errors]).toEqual([]);
}

/** uidOf is who is signed in, by what the SDK keeps. */
const uidOf = (page: Screen): Promise<string> =>
  page.evaluate(() => new Promise<string>((resolve) => {
    const opened = indexedDB.open("firebaseLocalStorageDb");
    opened.onsuccess = () => {
      const all = opened.result.transaction("firebaseLocalStorage").objectStore("firebaseLocalStorage").getAll();
      all.onsuccess = () => resolve(all.result[0].value.uid);
    };
  }));

/** run copies a page's files, makes them ready, serves the folder that is to be served, and tells the story there. */
async function run(browser: Browser, page: string, people: [string, string], make: (folder: string) => Promise<string>): Promise<void> {
  const folder = copied(page);
  const { url, server } = await served(await make(folder));
  try {
    await story(browser, url, people);
  } finally {
    server.close();
    rmSync(folder, { recursive: true });
  }
}

test("plain JavaScript", ({ browser }) => run(browser, "javascript.md", ["Ada", "Bob"], async (folder) => folder));

test("React", ({ browser }) => run(browser, "react.md", ["Eve", "Cy"], async (folder) => {
  await promisify(execFile)("npm", ["run", "build"], { cwd: folder }).catch((err: { stdout: string; stderr: string }) => {
    throw new Error(err.stdout + err.stderr);
  });
  return join(folder, "dist");
}));
