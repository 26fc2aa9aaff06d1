// Where the feed comes from: timelines of each layout, in the app and beside it in the console, and the sources that the console chooses.
import { deleteDoc, doc } from "firebase/firestore";
import { afterAll, beforeAll, describe, expect } from "vitest";

import { inFeed, openConsole, signUp, test, texts } from "../../browser/browser.ts";
import { startTimelines, type Timelines } from "../../timelines.ts";

describe.for([
  { layout: "items", more: {}, said: ["29 items"], parts: ["items"] },
  {
    layout: "buckets",
    more: { RELATIONINDEX_BUCKET: "5", RELATIONINDEX_CAP: "25" },
    said: ["29 entries in buckets, ring of 5 slots", "4 of 5", "sequence 6"],
    parts: ["open", "past-00000000", "past-00000004", "past-00000003", "past-00000002", "past-00000001"],
  },
  { layout: "days", more: {}, said: ["29 entries in 7 days"], parts: ["2026-01-07", "2026-01-06", "2026-01-05"] },
] as const)("a timeline of $layout", ({ layout, more, said, parts }) => {
  let system: Timelines;
  beforeAll(async () => void (system = await startTimelines(layout, more)));
  afterAll(() => system.stop());

  test("has every post down to its end, live, in the app and in the console, which chooses other sources", async ({ browser }) => {
    const me = await signUp(browser, "Timeline Reader", { baseURL: system.at.webURL });
    const { page } = me;
    await system.write({ [`users/ada/followers/${me.uid}`]: { createdAt: new Date(1000) } });
    await system.idle();
    const all = Array.from({ length: 28 }, (_, n) => (Math.floor(n / 4) * 24 + (n % 4)) * 60); // seven days
    await system.publish("ada", ...all);
    const newest = all.map((minute) => `Minute ${minute}`).toReversed();
    const down = async () => (await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight)), texts(me));
    await inFeed(me, newest[0]!).first().waitFor();
    await expect.poll(down).toEqual(newest);
    await page.evaluate(() => window.scrollTo(0, 0));

    const console = await openConsole(browser, "ada", { baseURL: system.at.webURL });
    await console.locator(".timeline .choice", { hasText: "Timeline Reader" }).click();
    await console.getByRole("heading", { name: "Timeline of Timeline Reader" }).waitFor();
    const [id] = await system.publish("ada", 10_000);
    await expect.poll(async () => (await texts(me))[0]).toBe("Minute 10000");
    const panel = console.getByRole("region", { name: "Timeline", exact: true }).first();
    for (const text of said) await panel.getByText(text, { exact: true }).first().waitFor();
    await expect.poll(async () => (await panel.locator("summary code").allTextContents()).slice(0, parts.length)).toEqual(parts);
    await panel.locator(".entry code", { hasText: id! }).waitFor();
    await deleteDoc(doc(system.db, `posts/${id}`));
    await expect.poll(async () => (await texts(me))[0]).toBe(newest[0]);
    await panel.locator(".entry code", { hasText: id! }).waitFor({ state: "detached" });

    // In the same browser, the console changes where the app reads from, at once and for later.
    const beside = await page.context().newPage();
    await beside.goto("/console/");
    const choice = beside.getByLabel("The app reads from");
    await choice.waitFor();
    expect(await choice.locator("option").allTextContents()).toEqual(["Best: timeline", "Timeline", "Relations", "Feed", "Feed by pull"]);
    const asked: string[] = [];
    page.on("request", (request) => request.url().includes("/Feed?") && asked.push(new URL(request.url()).searchParams.get("source") ?? "feed"));
    for (const [source, of] of [
      ["relations", []],
      ["feed", ["feed"]],
      ["pull", ["pull"]],
    ] as const) {
      asked.length = 0;
      await choice.selectOption(source);
      await expect.poll(() => [...new Set(asked)]).toEqual(of);
      await expect.poll(down).toEqual(newest);
      await page.evaluate(() => window.scrollTo(0, 0));
    }
    asked.length = 0;
    await page.reload();
    await expect.poll(() => [...new Set(asked)]).toEqual(["pull"]);
    expect([...page.errors, ...console.errors]).toEqual([]);
  });
});
