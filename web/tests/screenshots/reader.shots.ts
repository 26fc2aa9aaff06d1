// A reader's timeline: new, hidden and filtered posts, and comments that lift.
import { Timestamp } from "firebase/firestore";
import type { Page } from "playwright-core";

import { inFeed, named, readFrom, signUp, test } from "../browser/browser.ts";
import { seed } from "../browser/seed.ts";
import { startTimelines, type Timelines } from "../timelines.ts";
import { shoot } from "./shoot.ts";

/** Brings a part of the page into the middle of the window. */
const show = (page: Page, text: string) =>
  page
    .getByText(text)
    .first()
    .evaluate((node) => node.scrollIntoView({ block: "center" }));

/** Publishes a post of now. */
async function publish(system: Timelines, author: number, text: string, kind: string): Promise<void> {
  const userId = `seed-${author}`;
  await system.write({ [`posts/${userId}-${kind}`]: { userId, audience: userId, hidden: false, createdAt: Timestamp.now(), text, kind } });
  await system.idle();
}

test("a reader of their timeline", async ({ chromium }) => {
  const system = await startTimelines("items", { RELATIONINDEX_SETTINGS: "true", RELATIONINDEX_RANKED: "true", RELATIONINDEX_BACKFILL: "20" });
  try {
    const me = await signUp(chromium, "Nadia Ferreira", { baseURL: system.at.webURL });
    const { page } = me;
    await seed(me.uid, system);
    await page.reload();
    await page.getByText(/^\d+\+ new$/).waitFor();
    await page.getByRole("button", { name: "Mark as read" }).click();
    await page.getByText(/^\d+\+ new$/).waitFor({ state: "hidden" });

    await publish(system, 9, "The bridge at six this morning, with nobody on it.", "photo");
    await publish(system, 4, "Reading and soup at ours, Thursday at seven.", "event");
    await publish(system, 7, "Which of the two trains has the better window seats?", "question");
    await page.getByText("3 new", { exact: true }).waitFor();
    await named(page);
    await shoot(page, "reader-unread");
    await show(page, "New posts are above");
    await shoot(page, "reader-unread-line");

    // A comment by somebody whom Nadia follows lifts an old post.
    await system.write({
      "posts/seed-plot/comments/c1": {
        userId: "seed-2",
        createdAt: Timestamp.now(),
        thread: "seed-6/g_allotment",
        text: "We would take it, if nobody with children wants it.",
      },
    });
    await system.idle();
    await page.evaluate(() => window.scrollTo(0, 0));
    const lifted = inFeed(me, "Plot 14 is free");
    await page.locator("article").first().getByText("Plot 14 is free").waitFor();
    await lifted.getByRole("button", { name: "Comments" }).click();
    await lifted.getByLabel("Write a comment").fill("Take it! We are next door, and the water is on our side.");
    await lifted.getByRole("button", { name: "Comment", exact: true }).click();
    await lifted.locator(".comment time").nth(1).waitFor();
    await named(page);
    await shoot(page, "reader-comments");
    await lifted.getByRole("button", { name: "Comments" }).click();

    await inFeed(me, "The bridge at six").getByRole("button", { name: "Hide…" }).click();
    await show(page, "The bridge at six");
    await shoot(page, "reader-not-for-me");
    await page.getByRole("button", { name: "Hide every photo", exact: true }).click();
    await page.getByText("Hidden: every photo. See Filters.").waitFor();
    await inFeed(me, "Reading and soup").getByRole("button", { name: "Hide…" }).click();
    await page.getByRole("button", { name: "Hide this post" }).click();
    await page.getByText("Hidden from your feed.").waitFor();
    await show(page, "Hidden from your feed.");
    await shoot(page, "reader-hidden");

    const other = page.getByRole("article").filter({ hasText: "Rain." }).first();
    await other.getByRole("button", { name: "Hide…" }).click();
    await page.getByRole("button", { name: /^Hide everything by/ }).click();
    await page.evaluate(() => window.scrollTo(0, 0));
    await page.getByRole("button", { name: "Filters" }).click();
    await page.getByRole("list", { name: "Filters" }).getByText("Hidden: everything by").waitFor();
    await page.getByRole("list", { name: "Hidden posts" }).getByText("Reading and soup").waitFor();
    await shoot(page, "reader-filters");
    await page.getByRole("button", { name: "Filters" }).click();

    await readFrom(page, "pull");
    await page.getByRole("article").nth(10).waitFor();
    await named(page);
    await shoot(page, "reader-pull");
  } finally {
    await system.stop();
  }
});
