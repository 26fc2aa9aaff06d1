// Where the feed comes from: what the project has is offered, by radio buttons, and the choice is kept.
import { expect } from "vitest";

import { idle, profile, write } from "../../firestore.ts";
import { inFeed, offers, overflow, signUp, tabToRadio, test } from "../../browser/browser.ts";

test("without timelines: relations, and pull by keyboard, which a reload keeps", async ({ browser }) => {
  const me = await signUp(browser, "Source Reader");
  const author = `source-${me.uid}`;
  await write({ [`users/${author}`]: profile("Source Author"), [`users/${author}/followers/${me.uid}`]: { createdAt: new Date(1000) } });
  await write({ [`posts/${author}`]: { userId: author, audience: author, hidden: false, createdAt: new Date(), text: "From somewhere." } });
  await idle();
  await inFeed(me, "From somewhere.").waitFor();
  expect(await offers(me)).toEqual(["relations", "pull"]);
  const { page } = me;
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    const heading = await page.getByRole("heading", { level: 1, name: "Feed" }).boundingBox();
    expect(heading?.height, `${width} px`).toBeLessThan(40); // one line beside the choices, or above them
    expect(await overflow(page)).toBe(0);
  }
  await tabToRadio(page, "relations");
  const pulled = page.waitForResponse((answer) => answer.url().includes("source=pull") && answer.status() === 200);
  await page.keyboard.press("ArrowRight");
  await pulled;
  await inFeed(me, "From somewhere.").waitFor();
  expect(await page.evaluate(() => (document.activeElement as HTMLInputElement).value)).toBe("pull"); // the focus has stayed
  expect(await page.getByLabel("Read through Feed").isVisible()).toBe(false);
  await page.reload();
  await inFeed(me, "From somewhere.").waitFor();
  expect(await page.getByLabel("Pull").isChecked()).toBe(true);
  expect(page.errors).toEqual([]);
});
