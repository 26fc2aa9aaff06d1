// Where the feed comes from: the app takes the best, and a developer chooses another in the console.
import { expect } from "vitest";

import { idle, profile, write } from "../../firestore.ts";
import { inFeed, overflow, signUp, tabTo, test } from "../../browser/browser.ts";

test("the console sets by keyboard which feed the app reads, at once and after a reload", async ({ browser }) => {
  const me = await signUp(browser, "Source Reader");
  const { page } = me;
  const author = `source-${me.uid}`;
  await write({ [`users/${author}`]: profile("Source Author"), [`users/${author}/followers/${me.uid}`]: { createdAt: new Date(1000) } });
  await write({ [`posts/${author}`]: { userId: author, audience: author, hidden: false, createdAt: new Date(), text: "From somewhere." } });
  await idle();
  await inFeed(me, "From somewhere.").waitFor();
  const asked: string[] = [];
  page.on("request", (request) => request.url().includes("/Feed?") && asked.push(request.url()));
  await page.reload();
  await inFeed(me, "From somewhere.").waitFor();
  expect(asked).toEqual([]); // it listens

  const console = await page.context().newPage();
  await console.goto("/console/");
  const choice = console.getByLabel("The app reads from");
  await choice.waitFor();
  await expect.poll(() => choice.locator("option").allTextContents()).toEqual(["Best: relations", "Relations", "Feed", "Feed by pull"]);
  await tabTo(console, /^The app reads from|^Best: relations/);
  const pulled = page.waitForResponse((answer) => answer.url().includes("source=pull") && answer.status() === 200);
  await console.keyboard.press("End");
  await pulled;
  await inFeed(me, "From somewhere.").waitFor();
  const again = page.waitForResponse((answer) => answer.url().includes("source=pull"));
  await page.reload();
  await again;
  await console.reload();
  await expect.poll(() => choice.inputValue()).toBe("pull");
  await console.setViewportSize({ width: 360, height: 740 });
  expect(await overflow(console)).toBe(0);
  await choice.selectOption("");
  await inFeed(me, "From somewhere.").waitFor();
  expect(page.errors).toEqual([]);
});
