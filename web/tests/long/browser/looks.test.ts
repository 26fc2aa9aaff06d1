import { expect } from "vitest";

import { seed } from "../../browser/seed.ts";
import { named, signUp, test, watchShifts } from "../../browser/browser.ts";

test("nothing moves while the feed loads", async ({ browser }) => {
  const me = await signUp(browser, "Still Standing");
  await seed(me.uid);
  const fresh = await me.page.context().newPage();
  const shifts = await watchShifts(fresh);
  for (const [width, height] of [
    [360, 740],
    [1280, 800],
  ] as const) {
    await fresh.setViewportSize({ width, height });
    await fresh.goto("about:blank");
    await fresh.goto("/");
    await fresh.getByRole("article").nth(15).waitFor();
    await fresh.getByRole("button", { name: "Load older" }).waitFor({ state: "attached" });
    await named(fresh);
    const moved = await shifts();
    console.log(`layout shift at ${width} px: ${moved.toFixed(4)} (at most 0.1)`);
    expect(moved).toBeLessThan(0.1);
  }
});
