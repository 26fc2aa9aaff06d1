// The feed out of a timeline, in each layout.
import { afterAll, beforeAll, describe, expect } from "vitest";

import { inFeed, overflow, signUp, test, texts, violations } from "../../browser/browser.ts";
import { startTimelines, type Timelines } from "../../timelines.ts";

describe.for<["items" | "buckets" | "days", Record<string, string>]>([
  ["items", {}],
  ["buckets", { RELATIONINDEX_BUCKET: "5", RELATIONINDEX_CAP: "25" }],
  ["days", {}],
])("a timeline of %s", ([layout, more]) => {
  let system: Timelines;
  beforeAll(async () => void (system = await startTimelines(layout, more)));
  afterAll(() => system.stop());

  test("is what the app reads, has every post down to its end, and is live", async ({ browser }) => {
    const me = await signUp(browser, "Timeline Reader", { baseURL: system.at.webURL });
    const { page } = me;
    await system.write({ [`users/ada/followers/${me.uid}`]: { createdAt: new Date(1000) } });
    await system.idle();
    const all = Array.from({ length: 28 }, (_, n) => (Math.floor(n / 4) * 24 + (n % 4)) * 60); // seven days
    await system.publish("ada", ...all);
    const newest = all.map((minute) => `Minute ${minute}`).toReversed();

    await inFeed(me, newest[0]!).first().waitFor();
    await expect
      .poll(async () => {
        await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
        return texts(me);
      })
      .toEqual(newest);
    await page.getByRole("button", { name: "Load older" }).waitFor({ state: "detached" });

    await page.evaluate(() => window.scrollTo(0, 0));
    const [id] = await system.publish("ada", 10_000);
    await expect.poll(async () => (await texts(me))[0]).toBe("Minute 10000");
    await system.write({
      [`posts/${id}`]: { userId: "ada", audience: "ada", hidden: true, createdAt: new Date(Date.UTC(2026, 0, 1) + 10_000 * 60_000), text: "Minute 10000" },
    });
    await expect.poll(async () => (await texts(me))[0]).toBe(newest[0]);
    for (const [width, height] of [
      [360, 740],
      [1280, 800],
    ] as const) {
      await page.setViewportSize({ width, height });
      expect(await violations(page)).toEqual([]);
      expect(await overflow(page)).toBe(0);
    }
    expect(page.errors).toEqual([]);
  });
});
