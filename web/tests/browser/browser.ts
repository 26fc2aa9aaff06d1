// Chromium, and people in it. Each person has a context of their own, which works like a browser of their own.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import axe, { type RunOptions } from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from "playwright-core";
import { expect, test as base } from "vitest";

import type { SourceName } from "relationindex-client";
import { sourceKey } from "../../src/shared/source.ts";
import { at } from "../firestore.ts";

/** test gives a test a browser, and closes the contexts that the test has opened. Chromium is started once for all files. */
export const test = base
  .extend("chromium", { scope: "worker" }, async ({}, { onCleanup }) => {
    const args = [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ];
    const browser = await chromium.launch({ executablePath: executable(), headless: true, args });
    onCleanup(() => browser.close());
    return browser;
  })
  .extend("browser", ({ chromium }, { onCleanup }) => {
    onCleanup(async () => void (await Promise.all(chromium.contexts().map((context) => context.close()))));
    return chromium;
  });

/** executable finds the installed Chromium: CHROMIUM_PATH, or one of its names on PATH. */
function executable(): string {
  const named = process.env["CHROMIUM_PATH"];
  if (named) return named;
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    for (const name of ["chromium", "google-chrome"]) {
      if (existsSync(join(folder, name))) return join(folder, name);
    }
  }
  throw new Error("no Chromium: install it (Debian: apt-get install chromium), or set CHROMIUM_PATH");
}

/** Trouble collects what a page must never do, whatever the test checks. */
export interface Trouble {
  /** Uncaught errors, and messages of alert, confirm and prompt: a script in a user's text would show there. */
  errors: string[];
}

/** open opens a path of the site in a browser of its own; without a path, the app. */
export async function open(browser: Browser, path = "/", options: BrowserContextOptions = {}): Promise<Page & Trouble> {
  const context = await browser.newContext({
    baseURL: at.webURL,
    viewport: { width: 1280, height: 800 },
    locale: "en-GB",
    reducedMotion: "reduce",
    ...options,
  });
  context.setDefaultTimeout(60_000); // for a busy machine
  const page = Object.assign(await context.newPage(), { errors: [] as string[] });
  page.on("pageerror", (error) => page.errors.push(error.message));
  page.on("dialog", (dialog) => {
    page.errors.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(path);
  return page;
}

/** openConsole opens the console with an author chosen; "" chooses none. */
export const openConsole = (browser: Browser, author = "", options: BrowserContextOptions = {}): Promise<Page & Trouble> =>
  open(browser, `/console/${author && `#${new URLSearchParams({ author })}`}`, options);

let people = 0;
const password = "correct horse";

/** Person is an account that a test has created. It is signed in on page. */
export interface Person {
  page: Page & Trouble;
  uid: string;
  name: string;
  email: string;
}

/** signUp opens the app and creates an account, as a new user does. Each account has an e-mail address of its own. */
export async function signUp(browser: Browser, name: string, options: BrowserContextOptions = {}): Promise<Person> {
  const page = await open(browser, "/", options);
  const email = `person-${process.pid}-${Date.now()}-${++people}@example.com`;
  await page.getByRole("button", { name: "Create one" }).click();
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("heading", { level: 1, name: "Feed" }).waitFor();
  const profile = await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Profile" }).getAttribute("href");
  return { page, name, email, uid: decodeURIComponent(profile?.split("/").at(-1) ?? "") };
}

/** signIn fills in the form that an open page shows. */
export async function signIn(page: Page, email: string, typed = password): Promise<void> {
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(typed);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** makeModerator gives an account the claim of a moderator, as an operator does. It takes effect at the next sign-in. */
export async function makeModerator(uid: string): Promise<void> {
  const answer = await fetch(`http://${at.authHost}/identitytoolkit.googleapis.com/v1/projects/${at.project}/accounts:update`, {
    method: "POST",
    headers: { Authorization: "Bearer owner", "Content-Type": "application/json" },
    body: JSON.stringify({ localId: uid, customAttributes: JSON.stringify({ moderator: true }) }),
  });
  if (!answer.ok) throw new Error(`no moderator: ${answer.status} ${await answer.text()}`);
}

/** inFeed finds a post in a person's feed by its text. */
export const inFeed = ({ page }: Person, text: string) =>
  page.getByRole("list", { name: "Posts of the people you follow" }).getByRole("article").filter({ hasText: text });

/** texts returns the texts of the posts in a person's feed, from the top. */
export const texts = ({ page }: Person): Promise<string[]> =>
  page.getByRole("list", { name: "Posts of the people you follow" }).locator("article > .post-body > div > .post-text").allTextContents();

/** readFrom sets the source from which the app reads the feed, as the console does; "" stands for the best one. */
export async function readFrom(page: Page, source: SourceName | ""): Promise<void> {
  await page.evaluate(([key, value]) => localStorage.setItem(key, value), [sourceKey, source] as const);
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "Feed" }).waitFor();
}

/** shown is the page that the app shows: pages that were left stay for the way back, hidden. */
export const shown = (page: Page): Locator => page.locator(".view:not([hidden])");

/** choose opens the menu of an article or a row, and presses an entry. */
export async function choose(of: Locator, entry: string | RegExp): Promise<void> {
  await of
    .getByRole("button", { name: /^More about/ })
    .first()
    .click();
  await of.page().locator(":popover-open").getByRole("button", { name: entry, exact: true }).click();
}

/** answer presses a button of the question that the app asks. */
export const answer = (page: Page, name: string): Promise<void> => page.getByRole("dialog").getByRole("button", { name, exact: true }).click();

/** visit goes to a view by the main navigation. */
export async function visit(page: Page, view: "Feed" | "People" | "Groups" | "Notifications" | "Profile"): Promise<void> {
  const link = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: view });
  await link.click();
  await link.and(page.locator("[aria-current=page]")).waitFor(); // the page before has gone, with what it said
}

/** findPerson searches for a person by name, as a user does. */
export async function findPerson({ page }: Person, whom: { name: string; uid: string }): Promise<void> {
  await visit(page, "People");
  await page.getByLabel("Search by name").fill(whom.name.toLowerCase());
  await page.getByRole("list", { name: "Everyone" }).locator(`a[href="#/u/${whom.uid}"]`).waitFor();
  await page.waitForFunction((name) => [...document.querySelectorAll(".view:not([hidden]) .person .name")].every((n) => n.textContent === name), whom.name);
}

/**
 * openProfile finds a person without posts and opens their page. It returns when the page is complete, without a list of people.
 */
export async function openProfile(me: Person, whom: { name: string; uid: string }): Promise<void> {
  await findPerson(me, whom);
  await me.page.getByRole("list", { name: "Everyone" }).locator(`a[href="#/u/${whom.uid}"]`).click();
  await shown(me.page).getByText("Nothing written yet").waitFor(); // stale: firestore.ts
}

/** send writes a post, and does not wait for the result. */
export async function send(page: Page, text: string): Promise<void> {
  await shown(page).getByLabel("Write a post").fill(text);
  await shown(page).getByRole("button", { name: "Post", exact: true }).click();
}

/** post writes a post and waits until the server has it. */
export async function post({ page }: Person, text: string): Promise<void> {
  await send(page, text);
  await shown(page)
    .getByRole("article")
    .filter({ hasText: text.slice(0, 40) })
    .locator("time")
    .first()
    .waitFor();
}

/** named waits until each shown post and notification has its names. */
export async function named(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    [...document.querySelectorAll(".view:not([hidden]) :is(article, .notification) .name")].every((name) => name.textContent?.trim()),
  );
}

/** violations returns what axe finds, with the elements: by all rules in light, and by the rules about colours in dark. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found: string[] = [];
  for (const [colorScheme, only] of [
    ["light", {}],
    ["dark", { runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] } }],
  ] satisfies ["light" | "dark", RunOptions][]) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await page.evaluate(
      (only) => (window as unknown as { axe: typeof axe }).axe.run({ resultTypes: ["violations"], ...only }),
      only as RunOptions,
    );
    for (const v of violations) found.push(`${colorScheme}: ${v.id}: ${v.help}: ${v.nodes.map((n) => `${n.html} ${n.any[0]?.message ?? ""}`).join("; ")}`);
  }
  return found;
}

/** overflow returns by how many pixels a page is wider than its window. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth));
}

/** focused returns the name of the element with the focus, as a screen reader reads it. */
export function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const { activeElement } = document;
    const label = activeElement instanceof HTMLInputElement ? activeElement.labels?.[0]?.textContent : undefined;
    return (activeElement?.getAttribute("aria-label") ?? label ?? activeElement?.textContent ?? "").trim();
  });
}

/** tabTo presses Tab until an element with a name has the focus. The element may come into the page meanwhile. */
export async function tabTo(page: Page, name: string | RegExp, key = "Tab"): Promise<void> {
  const stops = new Set<string>();
  for (const end = Date.now() + 20_000; Date.now() < end; ) {
    const now = await focused(page);
    if (now === name || (name instanceof RegExp && name.test(now))) return;
    await page.keyboard.press(key);
    stops.add(now);
  }
  throw new Error(`${key} does not reach ${name}, but ${[...stops].join(" | ")}`);
}

/** watchShifts adds up the layout shifts of a page from its load on, as Chromium measures them. The result returns the sum. */
export async function watchShifts(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    Object.assign(window, { moved: 0 });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[]) {
        if (!entry.hadRecentInput) (window as unknown as { moved: number }).moved += entry.value;
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  return () => page.evaluate(() => (window as unknown as { moved: number }).moved);
}

/**
 * Loads the page again until it shows something: a follow button asks, and does not listen, and what another person did may be on
 * its way.
 */
export async function reloadUntil(page: Page, shown: Locator): Promise<void> {
  await expect
    .poll(async () => {
      await page.reload();
      return shown.waitFor({ timeout: 5_000 }).then(
        () => true,
        () => false,
      );
    })
    .toBe(true);
}
