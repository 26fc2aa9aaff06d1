// The console for everyone: at every width, in both themes, by keyboard, and without what it needs.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { System } from "../system.ts";
import { launch, overflow, violations } from "./browser.ts";
import { openConsole, startSmall, Writer } from "./console_page.ts";

let system: System & { webURL: string }, browser: Browser, client: Writer;

beforeAll(async () => {
  [system, browser] = await Promise.all([startSmall(), launch()]);
  client = new Writer(system);
  await client.signUp("ada", "Ada");
  await client.post("ada", 120);
  await client.follow("ada", ...Array.from({ length: 10 }, (_, n) => `follower-${n}`));
  await system.idle();
});

afterAll(async () => {
  await Promise.all([client?.close(), browser?.close()]);
  await system?.stop();
});

/** Waits until each panel shows what it has. */
async function shown(page: Page): Promise<void> {
  for (const part of [".index-documents tbody tr", ".relations tbody tr", ".job", ".action"]) await page.locator(part).first().waitFor();
}

test("axe finds no serious violation, in light and in dark, with much and with nothing to see", async () => {
  const full = await openConsole(browser, system.webURL, "ada");
  await shown(full);
  await full.getByRole("button", { name: "Play" }).click();
  expect(await violations(full)).toEqual([]);
  const bare = await openConsole(browser, system.webURL);
  await bare.getByText("No author chosen").first().waitFor();
  expect(await violations(bare)).toEqual([]);
});

test("nothing scrolls sideways at 360 px, and every panel is there", async () => {
  const page = await openConsole(browser, system.webURL, "ada", { viewport: { width: 360, height: 740 } });
  await shown(page);
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  const wide = await page.locator(".scroller").evaluateAll((all) => all.filter((s) => s.scrollWidth > s.clientWidth).map((s) => s.getAttribute("aria-label")));
  expect(wide).toEqual([]);
  await page.getByRole("button", { name: "Play" }).click();
  const menu = (await page.locator("#play").boundingBox())!;
  expect([menu.x >= 0, menu.x + menu.width <= 360, await overflow(page) <= 0]).toEqual([true, true, true]);
  expect(await page.getByRole("heading", { level: 2 }).allTextContents()).toEqual(["Author", "Actions", "Post", "Jobs"]);
});

test.each([[360, 2600], [1280, 800]])("nothing jumps while it loads, at %i px", async (width, height) => {
  const page = await openConsole(browser, system.webURL, "", { viewport: { width, height } });
  await page.addInitScript(() => {
    Object.assign(window, { shift: 0 });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[]) (window as unknown as { shift: number }).shift += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
  });
  await page.goto(`${system.webURL}/console/#author=ada`);
  await page.reload();
  await shown(page);
  expect(await page.evaluate(() => (window as unknown as { shift: number }).shift)).toBeLessThan(0.05);
});

test("everything is done by keyboard", async () => {
  const page = await openConsole(browser, system.webURL);
  const focused = () => page.evaluate(() => (document.activeElement instanceof HTMLButtonElement ? (document.activeElement.textContent ?? "") : ""));
  const tabTo = async (text: string) => {
    for (let n = 0; n < 40; n++) {
      if ((await focused()).startsWith(text)) return;
      await page.keyboard.press("Tab");
    }
    throw new Error(`the Tab key does not reach ${text}`);
  };
  await page.locator(".author .choice", { hasText: "Ada" }).waitFor();
  // The menu takes the focus a moment after it has opened: a key that is pressed before goes elsewhere.
  const opened = () => expect.poll(focused).toMatch(/^An account follows/);
  await tabTo("Play");
  await page.keyboard.press("Enter");
  await opened();
  await page.keyboard.press("Escape");
  expect(await focused()).toBe("Play");
  for (let n = 0; n < 10 && (await page.evaluate(() => document.activeElement?.id)) !== "author-search"; n++) await page.keyboard.press("Tab");
  await page.keyboard.type("ADA");
  await tabTo("Ada");
  await page.keyboard.press("Enter");
  await page.locator(".index-documents tbody tr").first().waitFor();
  await tabTo("Hello");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  expect(await page.locator(".post .choice").nth(1).getAttribute("aria-current")).toBe("true");
  await page.getByText("Relations of ada-118").waitFor();
  await page.keyboard.press("Shift+Tab");
  for (let n = 0; n < 60 && !(await focused()).startsWith("Play"); n++) await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Space");
  await opened();
  await tabTo("Ada posts");
  await page.keyboard.press("Enter");
  await page.getByText("Ada posts.", { exact: true }).waitFor();
});

test("without dev it says what it needs", async () => {
  const page = await openConsole(browser, system.webURL);
  await page.route("**/config.json", (route) => route.fulfill({ json: { firebase: { projectId: "p", apiKey: "k" } } }));
  await page.reload();
  await page.getByText("The console needs relationindex dev.").waitFor();
  await page.route("**/config.json", (route) => route.fulfill({ status: 404 }));
  await page.reload();
  await page.getByText("/config.json: 404").waitFor();
});
