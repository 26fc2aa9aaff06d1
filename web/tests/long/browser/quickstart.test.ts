// The quick starts: plain JavaScript, copied from its page into an empty folder, and examples/react, in Chromium.
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { collection, getDocs, query, where } from "firebase/firestore";
import type { Browser, Locator, Page } from "playwright-core";
import { expect } from "vitest";

import { open, test, type Trouble, violations } from "../../browser/browser.ts";
import { client, idle, publish } from "../../firestore.ts";
import { commandsOf, filesOf, install, write } from "../../snippets/quickstart.ts";
import { type Addresses, root, start } from "../../system.ts";

/** The system as a page starts it. */
let at: Addresses;

/** The presets of the pages: one has a live feed, the other Feed, which is polled as in production. */
const presetOf = (page: string): string => /dev --preset (\w+)$/m.exec(commandsOf(page).join("\n"))![1]!;

/** pointed has a file say where this system is. */
function pointed(file: string): void {
  const text = readFileSync(file, "utf8");
  expect(text.split("http://127.0.0.1:4000").length).toBe(2);
  writeFileSync(file, text.replace("http://127.0.0.1:4000", at.webURL));
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
  await page.getByRole("button", { name: "Sign in" }).waitFor();
  return page;
}

async function signUp(page: Screen, name: string): Promise<void> {
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("E-mail").fill(`${name.toLowerCase()}-${Date.now()}@example.com`);
  await page.getByLabel("Password").fill("correct horse");
  await page.getByRole("button", { name: "Create account" }).click();
  await status(page, "Posts").getByText("Nothing here yet.").waitFor();
  // Another visitor finds the name.
  const named = query(collection(client("owner", at.project, at), "users"), where("name", "==", name));
  await expect.poll(async () => (await getDocs(named)).size).toBe(1);
}

/** Longer than the time between two polls of Feed, in ms. */
const patience = 60_000;

type Label = "Posts" | "Notifications" | "People";

const items = (page: Screen, label: Label) => page.getByRole("list", { name: label }).getByRole("listitem");

/** status is what a list says of itself. */
const status = (page: Screen, label: Label): Locator =>
  page.locator("section", { has: page.getByRole("list", { name: label, includeHidden: true }) }).getByRole("status");

const posts = (page: Screen) => items(page, "Posts");

/** followButton is the one of a person: names are isolated by marks that nobody sees. */
const followButton = (page: Screen, verb: "Follow" | "Unfollow", name: string) => page.getByRole("button", { name: new RegExp(`^${verb} \\W?${name}\\W?$`) });

async function say(page: Screen, text: string): Promise<void> {
  await page.getByLabel("Write a post").fill(text);
  await page.getByRole("button", { name: "Post", exact: true }).click();
}

/** story is what every quick start can do. live: the feed is not polled. began: when the folder was empty. */
async function story(browser: Browser, url: string, live: boolean, began: number): Promise<void> {
  const [adaName, bobName] = ["Ada", "Bob"];
  const alone = await open(browser, "about:blank", { baseURL: url });
  await alone.route("**/config.json", (route) => route.abort());
  await alone.goto("/");
  await alone.getByText("No answer: is dev running?").waitFor();

  const ada = await visit(browser, url);
  expect(await violations(ada)).toEqual([]);
  await signUp(ada, adaName);
  console.log(`from an empty folder to a feed: ${((performance.now() - began) / 1000).toFixed(1)} s, without downloads and typing`);
  const bob = await visit(browser, url);
  await signUp(bob, bobName);
  expect(await violations(bob)).toEqual([]);

  // Follow; a post comes to the feeds of its follower and of its author, with her name.
  await followButton(bob, "Follow", adaName).click();
  await followButton(bob, "Unfollow", adaName).waitFor();
  await idle(at);
  await say(ada, "Good morning.");
  await posts(ada).filter({ hasText: "Good morning." }).filter({ hasText: adaName }).waitFor();
  await posts(bob).filter({ hasText: "Good morning." }).filter({ hasText: adaName }).waitFor({ timeout: patience }); // within a poll

  // A like shows at once, and is counted and told: with the follow, the badge has two, until it is pressed.
  await posts(bob).getByRole("button", { name: "Like (0)" }).click();
  await posts(bob).getByRole("button", { name: "Unlike (1)" }).waitFor();
  await ada.getByRole("button", { name: "2 new" }).click();
  await ada.getByRole("button", { name: "0 new" }).waitFor();
  await items(ada, "Notifications").filter({ hasText: bobName }).filter({ hasText: "like, 1 in all" }).waitFor();
  await items(ada, "Notifications").filter({ hasText: bobName }).filter({ hasText: "follow, 1 in all" }).waitFor();
  await idle(at);
  await ada.reload();
  await posts(ada).getByRole("button", { name: "Like (1)" }).waitFor(); // hers to press: the like is Bob's
  await ada.getByRole("button", { name: "0 new" }).waitFor();
  expect(await violations(ada)).toEqual([]);

  // More than a page, all older: they come with the next post.
  const owner = client("owner", at.project, at);
  await publish(await uidOf(ada), 24, "Old", owner);
  await idle(at);
  await say(ada, "Good evening.");
  await expect.poll(() => posts(ada).first().textContent()).toContain("Good evening."); // at once
  await expect.poll(() => posts(bob).first().textContent(), { timeout: patience }).toContain("Good evening.");
  await expect.poll(() => posts(bob).count()).toBeGreaterThanOrEqual(20);

  // Without a network: the error is said, the list stays, and goes on when the network is back.
  await bob.context().setOffline(true);
  await bob.getByRole("button", { name: "More posts" }).click();
  await status(bob, "Posts").getByText("The server cannot be reached. Check your connection.").waitFor();
  expect(await violations(bob)).toEqual([]);
  await expect.poll(() => posts(bob).count()).toBeGreaterThanOrEqual(20);
  await bob.context().setOffline(false);
  await bob.getByRole("button", { name: "More posts" }).click();
  await expect.poll(() => posts(bob).count()).toBe(26);
  await bob.getByRole("button", { name: "More posts" }).waitFor({ state: "hidden" });

  // A new post comes on top; older pages stay.
  await say(ada, "Good night.");
  await expect.poll(() => posts(bob).first().textContent(), { timeout: patience }).toContain("Good night.");
  await expect.poll(() => posts(bob).count()).toBe(27);
  expect(await violations(bob)).toEqual([]);

  // Loading is shown as long as it takes; who was signed in still is.
  if (!live) {
    let answer = (): void => {};
    const held = new Promise<void>((resolve) => (answer = resolve));
    await bob.route(`${at.webURL}/Feed?**`, (route) => held.then(() => route.continue()));
    await bob.reload();
    await status(bob, "Posts").getByText("Loading…").waitFor();
    answer();
    await expect.poll(() => posts(bob).count()).toBe(20);
    await status(bob, "Posts").getByText("Loading…").waitFor({ state: "hidden" });
  }

  // Unfollowed, she leaves the feed within seconds: nobody waits for the next poll.
  await followButton(bob, "Unfollow", adaName).click();
  await status(bob, "Posts").getByText("Nothing here yet.").waitFor();
  await followButton(bob, "Follow", adaName).click();
  await expect.poll(() => posts(bob).count()).toBeGreaterThanOrEqual(20);
  await bob.getByRole("button", { name: "Sign out" }).click();
  await bob.getByRole("button", { name: "Sign in" }).waitFor();
  expect([...ada.errors, ...bob.errors]).toEqual([]);
}

/** uidOf is who is signed in, by what the SDK keeps. */
const uidOf = (page: Screen): Promise<string> =>
  page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        const opened = indexedDB.open("firebaseLocalStorageDb");
        opened.onsuccess = () => {
          const all = opened.result.transaction("firebaseLocalStorage").objectStore("firebaseLocalStorage").getAll();
          all.onsuccess = () => resolve(all.result[0].value.uid);
        };
      }),
  );

/** run has a quick start made in an empty folder, serves what it names of that, and tells the story there. */
async function run(browser: Browser, page: string, make: (folder: string) => Promise<string>): Promise<void> {
  const began = performance.now(),
    preset = presetOf(page);
  const { addresses, stop } = await start({
    RELATIONINDEX_ENV: join(root, "examples", "presets", `${preset}.env`),
    RELATIONINDEX_NO_OWN_POSTS: "false",
    RELATIONINDEX_CAPACITY: preset === "small" ? "500" : "10000", // that of tests is smaller
    RELATIONINDEX_HORIZON: "0",
  });
  at = addresses;
  const folder = mkdtempSync(join(tmpdir(), "quickstart-"));
  try {
    const { url, server } = await served(await make(folder));
    await story(browser, url, preset === "small", began).finally(() => server.close());
  } finally {
    rmSync(folder, { recursive: true });
    await stop();
  }
}

test("plain JavaScript", ({ browser }) =>
  run(browser, "javascript.md", async (folder) => {
    write(filesOf("javascript.md"), folder);
    pointed(join(folder, "app.js"));
    await install(folder, ["firebase"]);
    return folder;
  }));

test("React", ({ browser }) =>
  run(browser, "react.md", async (folder) => {
    cpSync(join(root, "examples", "react"), folder, { recursive: true });
    pointed(join(folder, "src", "client.ts"));
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    await install(folder, [".bin", ...Object.keys({ ...dependencies, ...devDependencies }).filter((name) => name !== "relationindex-client")]);
    await promisify(execFile)("npm", ["run", "build"], { cwd: folder }).catch((err: { stdout: string; stderr: string }) => {
      throw new Error(err.stdout + err.stderr);
    });
    return join(folder, "dist");
  }));
