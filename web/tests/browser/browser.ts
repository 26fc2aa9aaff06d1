// Chromium, and people in it: each in a context of their own, which is a browser of their own to all that matters here.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import AxeBuilder from "@axe-core/playwright";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

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

/** launch starts a headless Chromium that talks to nobody by itself. */
export function launch(): Promise<Browser> {
  const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
  return chromium.launch({ executablePath: executable(), headless: true, args });
}

/** Trouble is what a page must not do while a test looks at something else. */
export interface Trouble {
  /** Uncaught errors, and messages of alert, confirm and prompt: a script that came in as text would show there. */
  errors: string[];
}

/** open opens a page in a browser of its own. 20 s are long for anything that a page waits for. */
export async function open(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Page & Trouble> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-GB", reducedMotion: "reduce", ...options });
  context.setDefaultTimeout(20_000);
  const page = Object.assign(await context.newPage(), { errors: [] as string[] });
  page.on("pageerror", (error) => page.errors.push(error.message));
  page.on("dialog", (dialog) => {
    page.errors.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(url);
  return page;
}

let people = 0;
const password = "correct horse";

/** A Person is an account that a test has made, signed in on page. */
export interface Person {
  page: Page & Trouble;
  uid: string;
  name: string;
  email: string;
}

/** signUp opens the app and makes an account there, as somebody new would. Each has an address of its own. */
export async function signUp(browser: Browser, url: string, name: string, options: BrowserContextOptions = {}): Promise<Person> {
  const page = await open(browser, url, options);
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

/** signIn opens the app in another browser, for somebody who has an account. */
export async function signIn(browser: Browser, url: string, who: Person, options: BrowserContextOptions = {}): Promise<Person> {
  const page = await open(browser, url, options);
  await page.getByLabel("E-mail").fill(who.email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { level: 1, name: "Feed" }).waitFor();
  return { ...who, page };
}

/** visit goes to a view by the main navigation. */
export async function visit(page: Page, view: "Feed" | "People" | "Profile"): Promise<void> {
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: view }).click();
}

/** violations are what axe finds serious or critical, in light and in dark, with the elements. */
export async function violations(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await new AxeBuilder({ page }).analyze();
    for (const v of violations) {
      if (v.impact === "serious" || v.impact === "critical") found.push(`${colorScheme}: ${v.id}: ${v.help}: ${v.nodes.map((n) => `${n.html} ${n.any[0]?.message ?? ""}`).join("; ")}`);
    }
  }
  return found;
}

/** overflow is by how many pixels a page is wider than its window. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth));
}
