// The console for everyone: at every width, in both themes, by keyboard, and without what it needs.
import type { Page } from "playwright-core";
import { beforeAll, expect } from "vitest";

import { focused, openConsole, overflow, tabTo, test, violations, watchShifts } from "../../browser/browser.ts";
import { follow, idle, publish, register, write } from "../../firestore.ts";

beforeAll(async () => {
  await register("augusta", "Augusta");
  await publish("augusta", 120);
  await follow("augusta", ...Array.from({ length: 10 }, (_, n) => `follower-${n}`));
  await idle();
});

/** Waits until each panel shows what it has. */
async function shown(page: Page): Promise<void> {
  for (const part of [".index-documents tbody tr", ".relations tbody tr", ".job", ".action"]) await page.locator(part).first().waitFor();
}

test("axe finds nothing, in light and in dark, with much and with nothing to see, on a laptop and a phone", async ({ browser }) => {
  const full = await openConsole(browser, "augusta");
  await shown(full);
  await full.getByRole("button", { name: "Play" }).click();
  expect(await violations(full)).toEqual([]);
  await full.setViewportSize({ width: 360, height: 740 });
  expect(await violations(full)).toEqual([]);
  const bare = await openConsole(browser);
  await bare.getByText("No author chosen").first().waitFor();
  expect(await violations(bare)).toEqual([]);
});

test("nothing scrolls sideways at 360 px, and every panel is there", async ({ browser }) => {
  const page = await openConsole(browser, "augusta", { viewport: { width: 360, height: 740 } });
  await shown(page);
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  const wide = await page.locator(".scroller").evaluateAll((all) => all.filter((s) => s.scrollWidth > s.clientWidth).map((s) => s.getAttribute("aria-label")));
  expect(wide).toEqual([]);
  await page.getByRole("button", { name: "Play" }).click();
  const menu = (await page.locator("#play").boundingBox())!;
  expect([menu.x >= 0, menu.x + menu.width <= 360, (await overflow(page)) <= 0]).toEqual([true, true, true]);
  await expect.poll(() => page.getByRole("heading", { level: 2 }).allTextContents()).toEqual(["Author", "Actions", "Post", "Jobs"]);
});

test.for([
  [360, 2600],
  [1280, 800],
] as const)("nothing jumps while it loads, at %i px", async ([width, height], { browser }) => {
  const page = await openConsole(browser, "", { viewport: { width, height } });
  const shifts = await watchShifts(page);
  await page.goto("/console/#author=augusta");
  await page.reload();
  await shown(page);
  expect(await shifts()).toBeLessThan(0.05);
});

test("every action works by keyboard", async ({ browser }) => {
  const page = await openConsole(browser);
  await page.locator(".author .choice", { hasText: "Augusta" }).waitFor();
  // The menu takes the focus a moment after it has opened: a key that is pressed before goes elsewhere.
  const opened = () => expect.poll(() => focused(page)).toMatch(/^An account follows/);
  await tabTo(page, /^Play/);
  await page.keyboard.press("Enter");
  await opened();
  await page.keyboard.press("Escape");
  expect(await focused(page)).toMatch(/^Play/);
  for (let n = 0; n < 10 && (await page.evaluate(() => document.activeElement?.id)) !== "author-search"; n++) await page.keyboard.press("Tab");
  await page.keyboard.type("AUGUSTA");
  await tabTo(page, /^Augusta/);
  await page.keyboard.press("Enter");
  await page.locator(".index-documents tbody tr").first().waitFor();
  await tabTo(page, /^Hello/);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.locator(".post .choice").nth(1).getAttribute("aria-current")).toBe("true");
  await page.getByText("Relations of augusta-118").waitFor();
  await page.keyboard.press("Shift+Tab");
  await tabTo(page, /^Play/, "Shift+Tab");
  await page.keyboard.press("Space");
  await opened();
  await tabTo(page, /^Augusta posts/);
  await page.keyboard.press("Enter");
  await page.getByText("Augusta posts.", { exact: true }).waitFor();
});

test("the focus stays where it is while rows come and go", async ({ browser }) => {
  await register("keeper", "Keeper");
  await publish("keeper", 20); // as many as are listed
  const page = await openConsole(browser, "keeper");
  const posts = page.locator(".post .choice");
  await posts.nth(19).waitFor();
  await posts.nth(3).focus();
  const id = await posts.nth(3).getAttribute("data-id");
  await write({ "posts/keeper-new": { userId: "keeper", audience: "keeper", hidden: false, createdAt: new Date(Date.now() + 60_000), text: "Newest" } });
  await posts.filter({ hasText: "Newest" }).waitFor();
  expect(await posts.count()).toBe(20);
  expect(await page.evaluate(() => (document.activeElement as HTMLElement).dataset["id"])).toBe(id);
});

test("the console shows that it needs relationindex dev", async ({ browser }) => {
  const page = await openConsole(browser);
  await page.route("**/config.json", (route) => route.fulfill({ json: { firebase: { projectId: "p", apiKey: "k" } } }));
  await page.reload();
  await page.getByText("The console needs relationindex dev.").waitFor();
  await page.route("**/config.json", (route) => route.fulfill({ status: 404 }));
  await page.reload();
  await page.getByText("/config.json: 404").waitFor();
});
