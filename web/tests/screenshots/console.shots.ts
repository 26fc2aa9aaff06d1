// Every state of the console, as a developer meets it.
import { doc, increment, updateDoc } from "firebase/firestore";
import type { Page } from "playwright-core";

import { openConsole, test } from "../browser/browser.ts";
import { db, enqueue, follow, idle, publish, register } from "../firestore.ts";
import { shoot, shootAt } from "./shoot.ts";

async function play(page: Page, ...items: string[]): Promise<void> {
  for (const name of items) {
    await page.getByRole("button", { name: "Play" }).click();
    await page.getByRole("button", { name }).click();
    await page.locator("#play [role=status]", { hasText: /\.$/ }).waitFor();
    await page.keyboard.press("Escape");
    await idle();
  }
}

test("nothing yet, and the menu", async ({ browser }) => {
  const page = await openConsole(browser);
  await page.getByText("Nothing has happened yet").waitFor();
  await page.locator(".skeleton").first().waitFor({ state: "detached" });
  await page.locator(".indicator.idle").waitFor();
  await shoot(page, "console-empty");
  await page.getByRole("button", { name: "Play" }).click();
  await shoot(page, "console-play");
});

test("an author, a post and what was done", async ({ browser }) => {
  const page = await openConsole(browser);
  await play(
    page,
    "20 accounts follow Ada",
    "Ada posts",
    "Ada posts",
    "Ada edits the newest post",
    "An account follows Ada",
    "5 accounts unfollow Ada",
    "Delete an account that follows Ada",
  );
  await page.locator(".action .what", { hasText: "deletes their account" }).waitFor();
  await page.getByText("6 index documents, 15 followers").waitFor();
  await shootAt(page, "author", "console-author");
  await shootAt(page, "post", "console-relations");
  await shootAt(page, "actions", "console-actions");
});

test("a job under way, and those of a post", async ({ browser }) => {
  const page = await openConsole(browser, "grace");
  await register("grace", "Grace");
  await publish("grace", 490);
  await follow("grace", "bob");
  await page.locator('[data-job="index:grace:00001"] [data-done]:not([data-done="0"])').waitFor();
  await shootAt(page, "jobs", "console-job");
  await idle();

  await follow("wide", ...Array.from({ length: 480 }, (_, n) => `f${n}`));
  await idle();
  await publish("wide", 1);
  await page.locator('[data-job="post:wide-000~"][data-state=done]').waitFor();
  await shootAt(page, "jobs", "console-jobs");
});

test("a failed job", async ({ browser }) => {
  await publish("broken", 3);
  await follow("broken", "bob");
  await idle();
  await updateDoc(doc(db, "users", "broken", "followers_index", "00001"), { followers: "nobody", version: increment(1) });
  await enqueue("index:broken:00001", { kind: "relations.index", args: { author: "broken", index: "00001" }, phases: 2, maxAttempts: 1 });
  const page = await openConsole(browser, "broken");
  await page.locator('[data-job="index:broken:00001"][data-state=failed]').waitFor();
  await shootAt(page, "jobs", "console-failed-job");
});

test("loading, cut off, and without dev", async ({ browser }) => {
  const page = await openConsole(browser);
  await page.route(/Firestore\/Listen/, () => {}); // no answer
  await page.reload();
  await page.locator(".skeleton").first().waitFor();
  await shoot(page, "console-loading");
  await page.unrouteAll();
  await page.route("**/dev/actions", (route) => route.abort());
  await page.reload();
  await page.getByText("The dev server has ended.").waitFor();
  await shootAt(page, "actions", "console-disconnected");
  await page.route("**/config.json", (route) => route.fulfill({ json: { firebase: { projectId: "p", apiKey: "k" } } }));
  await page.reload();
  await page.getByText("The console needs").waitFor();
  await shoot(page, "console-no-dev");
});
