// The console, as a developer meets it.
import { Timestamp } from "firebase/firestore";
import type { Page } from "playwright-core";

import { openConsole, test } from "../browser/browser.ts";
import { follow, idle, profile, publish, register } from "../firestore.ts";
import { startTimelines } from "../timelines.ts";
import { shoot } from "./shoot.ts";

/** A panel in sight, where the console is as narrow as a phone. */
const at = (page: Page, panel: string) => ({ at: () => page.locator(`.panel.${panel}`).evaluate((node) => node.scrollIntoView()) });

test("an author, a post and what was done", async ({ browser }) => {
  const page = await openConsole(browser);
  const played = [
    "20 accounts follow Ada",
    "Ada posts",
    "Ada posts",
    "Ada edits the newest post",
    "An account follows Ada",
    "5 accounts unfollow Ada",
    "Delete an account that follows Ada",
  ];
  for (const name of played) {
    await page.getByRole("button", { name: "Play" }).click();
    await page.getByRole("button", { name }).click();
    await page.locator("#play [role=status]", { hasText: /\.$/ }).waitFor();
    await page.keyboard.press("Escape");
    await idle();
  }
  await page.locator(".action .what", { hasText: "deletes their account" }).waitFor();
  await page.getByText("6 index documents, 15 followers").waitFor();
  await shoot(page, "console-author", at(page, "author"));
  await shoot(page, "console-relations", at(page, "post"));
  await shoot(page, "console-actions", at(page, "actions"));
});

test("a job under way", async ({ browser }) => {
  const page = await openConsole(browser, "grace");
  await register("grace", "Grace");
  await publish("grace", 490);
  await follow("grace", "bob");
  await page.locator('[data-job="index:grace:00001"] [data-done]:not([data-done="0"])').waitFor();
  await shoot(page, "console-job", at(page, "jobs"));
  await idle();
});

test("a timeline in buckets", async ({ browser }) => {
  const system = await startTimelines("buckets", { RELATIONINDEX_BUCKET: "5", RELATIONINDEX_CAP: "20" });
  try {
    const created = (hours: number) => Timestamp.fromMillis(Date.now() - hours * 3_600_000);
    await system.write({
      "users/g_allotment": { ...profile("Allotment Society"), ownerId: "cy", post: "owner" },
      "users/g_allotment/followers/bob": { createdAt: created(90) },
    });
    for (let n = 0; n < 33; n++) {
      const [userId, audience, to] = n % 7 === 3 ? ["cy", "g_allotment", []] : n % 11 === 5 ? ["cy", "", ["bob"]] : ["ada", "ada", []];
      await system.write({ [`posts/${userId}-${n}`]: { userId, audience, to, hidden: false, createdAt: created((33 - n) * 2), text: `Post ${n}` } });
      await system.idle();
    }
    const page = await openConsole(browser, "ada", { baseURL: system.at.webURL });
    await page.locator(".part details[open] .entry").nth(2).waitFor();
    await page.getByText("Allotment Society").first().waitFor();
    await shoot(page, "console-timeline", at(page, "timeline"));
  } finally {
    await system.stop();
  }
});
