// The timeline panel of the console, beside functions that keep timelines: one system for each layout.
import { deleteDoc, doc, updateDoc } from "firebase/firestore";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect } from "vitest";

import { focused, openConsole, overflow, tabTo, test, type Trouble, violations } from "../../browser/browser.ts";
import { startTimelines, type Timelines } from "../../timelines.ts";

let system: Timelines;
const stop = () => system.stop();

/** Opens the console of the system on Ada, whose newest follower is Bob. */
const opened = (browser: Browser, options: BrowserContextOptions = {}): Promise<Page & Trouble> =>
  openConsole(browser, "ada", { baseURL: system.at.webURL, ...options });

const panel = (page: Page) => page.getByRole("region", { name: "Timeline", exact: true }).first();
const part = (page: Page, id: string) => page.locator(`.part details[data-id="${id}"]`);
const names = (page: Page) => page.locator(".part summary code").allTextContents();
const entries = (page: Page, id: string) => part(page, id).locator(".entry code").allTextContents();

describe("buckets, in a ring", () => {
  beforeAll(async () => void (system = await startTimelines("buckets", { RELATIONINDEX_BUCKET: "3", RELATIONINDEX_CAP: "6" })));
  afterAll(stop);

  test("open fills, is closed, and the ring goes round, live", async ({ browser }) => {
    const page = await opened(browser);
    await page.getByText("Nothing yet").waitFor();
    await system.publish("ada", 1, 2);
    await part(page, "open").getByText("2 of 3").waitFor();
    expect(await entries(page, "open")).toEqual(["ada-00002", "ada-00001"]);
    await panel(page).getByText("2 entries in buckets, ring of 2 slots, 2 free").waitFor();
    await part(page, "open").getByText("sequence 1").waitFor();

    await system.publish("ada", 3, 4);
    await part(page, "past-00000001").getByText("3 of 3").waitFor();
    expect(await names(page)).toEqual(["open", "past-00000001"]);
    await part(page, "past-00000001").getByText("newest").waitFor();

    // Two are closed: the first goes next.
    await system.publish("ada", 5, 6, 7);
    await panel(page).getByText("7 entries in buckets, ring of 2 slots", { exact: true }).waitFor();
    expect(await names(page)).toEqual(["open", "past-00000000", "past-00000001"]);
    await expect.poll(() => page.locator(".part .badge:visible").allTextContents()).toEqual(["newest", "overwritten next"]);

    await system.publish("ada", 8, 9, 10);
    await part(page, "past-00000001").getByText("sequence 3").waitFor();
    await panel(page).getByText("7 entries in buckets, ring of 2 slots", { exact: true }).waitFor();
    expect(await names(page)).toEqual(["open", "past-00000001", "past-00000000"]);
    await expect.poll(() => page.locator(".part .badge:visible").allTextContents()).toEqual(["newest", "overwritten next"]);
    expect(page.errors).toEqual([]);
  });

  test("another reader is chosen by keyboard, a closed bucket unfolded, and the post panel shown", async ({ browser }) => {
    const page = await opened(browser);
    await page.getByRole("heading", { name: "Timeline of Bob" }).waitFor();
    await tabTo(page, "Post"); // past the authors, who have the same names
    await tabTo(page, /^Cy/);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Timeline of Cy" }).waitFor();
    expect(new URL(page.url()).hash).toContain("reader=cy");
    await tabTo(page, /^past-00000001/);
    expect(await entries(page, "past-00000001")).toEqual([]);
    await page.keyboard.press("Enter");
    await part(page, "past-00000001").locator(".entry").nth(2).waitFor();
    expect(await entries(page, "past-00000001")).toEqual(["ada-00009", "ada-00008", "ada-00007"]);

    await expect.poll(() => page.getByRole("heading", { name: "Post", exact: true }).isVisible()).toBe(false);
    await tabTo(page, "Post", "Shift+Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Post", exact: true }).waitFor();
    expect(await focused(page)).toBe("Timeline");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Timeline of Cy" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Timeline of Cy" }).waitFor(); // the address has it
    expect(page.errors).toEqual([]);
  });

  test("axe finds nothing serious, and nothing is wider than a small phone, which has both panels", async ({ browser }) => {
    const wide = await opened(browser);
    await part(wide, "open").waitFor();
    await part(wide, "past-00000000").locator("summary").click();
    expect(await violations(wide)).toEqual([]);
    const narrow = await opened(browser, { viewport: { width: 360, height: 740 } });
    await part(narrow, "open").waitFor();
    expect(await overflow(narrow)).toBe(0);
    expect(
      await narrow.locator(".scroller").evaluateAll((all) => all.filter((s) => s.scrollWidth > s.clientWidth).map((s) => s.getAttribute("aria-label"))),
    ).toEqual([]);
    await expect.poll(() => narrow.getByRole("heading", { level: 2 }).allTextContents()).toEqual(["Author", "Actions", "Timeline", "Post", "Jobs"]);
    expect(await violations(narrow)).toEqual([]);
  });

  test("a reader who follows nobody has an empty timeline", async ({ browser }) => {
    const page = await opened(browser);
    await page.getByRole("heading", { name: "Timeline of Bob" }).waitFor();
    await page.locator(".timeline .choice", { hasText: "Ada" }).click();
    await page.getByRole("heading", { name: "Timeline of Ada" }).waitFor();
    await page.getByText("Nothing yet").waitFor();
  });
});

describe("items", () => {
  beforeAll(async () => void (system = await startTimelines("items")));
  afterAll(stop);

  test("entries come in their order, wherever they belong, and go", async ({ browser }) => {
    const page = await opened(browser);
    await page.getByText("Nothing yet").waitFor();
    await system.publish("ada", 3, 1, 2);
    await panel(page).getByText("3 items").waitFor();
    expect(await entries(page, "/")).toEqual(["ada-00003", "ada-00002", "ada-00001"]);
    await page.locator(".entry", { hasText: "Ada" }).nth(2).waitFor();
    await deleteDoc(doc(system.db, "posts/ada-00002"));
    await panel(page).getByText("2 items").waitFor();
    expect(await entries(page, "/")).toEqual(["ada-00003", "ada-00001"]);
    await deleteDoc(doc(system.db, "users/ada/followers/bob"));
    await page.getByText("Nothing yet").waitFor();
    await page.getByRole("heading", { name: "Timeline of Bob" }).waitFor(); // still the one who was chosen
    expect(page.errors).toEqual([]);
  });

  test("of many the newest are shown, and the others counted", async ({ browser }) => {
    const many = Array.from({ length: 200 }, (_, n) => `p${n}`);
    await system.write(
      Object.fromEntries(
        many.map((post, n) => [`users/full/timeline/${post}`, { post, author: "ada", audience: "ada", at: n * 1e6, posts: [post], accounts: ["ada"] }]),
      ),
    );
    const page = await openConsole(browser, "full", { baseURL: system.at.webURL });
    await page.locator(".timeline .choice").click();
    await panel(page).getByText("… and 150 more documents").waitFor();
    const shown = await entries(page, "/");
    expect([shown.length, shown[0], shown.at(-1)]).toEqual([50, "p199", "p150"]);
  });

  test("documents of others, of any type, are no script, hide no entry, and break nothing", async ({ browser }) => {
    const evil = '<img src=x onerror="alert(1)">',
      to = "users/odd/timeline";
    await system.write({
      [`${to}/good`]: { post: "good", author: "ada", audience: "", at: Date.UTC(2026, 0, 2) * 1000, kind: evil },
      [`${to}/${evil.replaceAll("/", "")}`]: { author: evil, audience: "a//b", at: 1 },
      [`${to}/nothing`]: {},
      [`${to}/types`]: { at: "late", sequence: "9", day: 7, entries: 1 },
      [`${to}/far`]: { at: 9e300, author: 5, audience: ["x"] },
      [`${to}/nan`]: { at: NaN },
      [`${to}/past-${"9".repeat(300)}`]: { sequence: 1e300, entries: { [evil]: { author: "/", at: {} }, "z z": 3 }, from: 7, to: "now" },
      [`${to}/past-list`]: { sequence: 2, entries: [1, 2], size: -1, slots: "two" },
      [`${to}/open`]: { sequence: 3, entries: { p: null, q: { author: doc(system.db, "users/ada"), at: 2 } }, total: "many", size: NaN, slots: -5 },
      [`${to}/someday`]: { day: evil, entries: { z: { author: "ada", at: 3 } } },
      [`${to}/${"d".repeat(1000)}`]: { day: "2026-01-01", entries: Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`e${n}`, { at: n }])) },
    });
    const page = await openConsole(browser, "odd", { baseURL: system.at.webURL, viewport: { width: 360, height: 740 } });
    await page.locator(".timeline .choice").click();
    await part(page, "open").waitFor();
    await panel(page).getByText("11 documents", { exact: true }).waitFor();
    await panel(page).getByText("… and 3 more documents").waitFor(); // nothing, types and nan
    await page.locator(".part details").evaluateAll((all) => all.forEach((one) => ((one as HTMLDetailsElement).open = true)));
    await page.locator(".entry", { hasText: "good" }).getByText("Ada, to the reader").waitFor();
    await expect.poll(() => page.locator(".entry").count()).toBeLessThan(100);
    await page.getByText("… and 2,950 more").waitFor();
    await expect.poll(() => page.locator("main img").count()).toBe(0);
    expect(await overflow(page)).toBe(0);
    await updateDoc(doc(system.db, `${to}/open`), { total: 4 }); // it listens still
    await panel(page)
      .getByText(/^4 entries in buckets/)
      .waitFor();
    await page.goto("/console/#author=ada&reader=a%2Fb");
    await page.reload();
    await page.getByRole("heading", { name: /Timeline of (Bob|Cy)/ }).waitFor(); // as if nobody were named
    expect(page.errors).toEqual([]);
  });
});

describe("days", () => {
  beforeAll(async () => void (system = await startTimelines("days")));
  afterAll(stop);

  test("each has its posts, the newest first", async ({ browser }) => {
    const page = await opened(browser);
    await page.getByText("Nothing yet").waitFor();
    await system.publish("ada", 1, 2 + 24 * 60, 1 + 24 * 60);
    await panel(page).getByText("3 entries in 2 days").waitFor();
    expect(await names(page)).toEqual(["2026-01-02", "2026-01-01"]);
    expect(await entries(page, "2026-01-02")).toEqual(["ada-01442", "ada-01441"]);
    await expect.poll(() => part(page, "2026-01-01").getByRole("meter").count()).toBe(0);
    await system.publish("ada", 48 * 60);
    await part(page, "2026-01-03").locator(".entry").waitFor();
    expect(await names(page)).toEqual(["2026-01-03", "2026-01-02", "2026-01-01"]);
    expect(page.errors).toEqual([]);
  });
});
