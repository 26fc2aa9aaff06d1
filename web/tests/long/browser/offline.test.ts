import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

import { follow, has, idle, postsBy, publish } from "../../firestore.ts";
import { findPerson, send, signUp, test, visit } from "../../browser/browser.ts";

const banner = "Offline. What you write is sent when the network is back.";

test("a post that is written without a network says so, is sent when it is back, and once", async ({ browser }) => {
  const { page, uid } = await signUp(browser, "Tunnel Writer");
  await page.context().setOffline(true);
  await page.getByText(banner).waitFor();
  await send(page, "From the tunnel.");
  const mine = page.getByRole("article").filter({ hasText: "From the tunnel." });
  await mine.getByText("Waiting for the network").waitFor();
  expect(await postsBy(uid)).toBe(0);

  await page.context().setOffline(false);
  await page.getByText(banner).waitFor({ state: "detached" });
  await mine.locator("time").waitFor();
  await expect.poll(() => mine.getByText("Waiting for the network").count()).toBe(0);
  expect(await postsBy(uid)).toBe(1);
  await expect.poll(() => mine.count()).toBe(1);
});

test("a post with a lost response appears once", async ({ browser }) => {
  const { page, uid } = await signUp(browser, "Lost Answer");
  // The write goes out on a stream. It reaches the server, and then the stream breaks before the answer is read.
  let broken = 0;
  await page.route(/Firestore\/Write\/channel/, async (route) => {
    const carries = route.request().postData()?.includes("posts%2F") ?? false;
    if (!carries || broken > 0) return route.continue();
    broken++;
    await route.fetch(); // the server has it
    await route.abort("connectionreset"); // the page does not know
  });
  await send(page, "Only once.");
  await page.getByRole("article").filter({ hasText: "Only once." }).locator("time").waitFor();
  expect(broken).toBe(1);
  expect(await postsBy(uid)).toBe(1);
});

test("unsent writes survive a closed tab and are sent when the app opens again", async ({ browser }) => {
  const { page, uid } = await signUp(browser, "Closed Tab");
  const context = page.context();
  await context.setOffline(true);
  await page.getByText(banner).waitFor();
  await send(page, "Written before the tab was closed.");
  await page.getByText("Waiting for the network").waitFor();
  await page.close();
  await context.setOffline(false);
  const again = await context.newPage();
  await again.goto("/");
  await expect.poll(() => postsBy(uid)).toBe(1);
  await again.reload(); // it was sent while the app began to listen. stale: firestore.ts
  await visit(again, "Profile");
  await again.getByRole("article").filter({ hasText: "Written before the tab was closed." }).locator("time").waitFor();
  expect(await postsBy(uid)).toBe(1);
});

test("an offline follow is pending until it is sent", async ({ browser }) => {
  const [me, other] = await Promise.all([signUp(browser, "Pending Follower"), signUp(browser, "Followed Later")]);
  await findPerson(me, other);
  await me.page.getByRole("button", { name: "Follow Followed Later" }).waitFor();
  await me.page.context().setOffline(true);
  await me.page.getByText(banner).waitFor();
  await me.page.getByRole("button", { name: "Follow Followed Later" }).click();
  await me.page.getByRole("button", { name: "Following… Followed Later" }).waitFor();
  await visit(me.page, "Feed"); // stale: firestore.ts
  await me.page.context().setOffline(false);
  await expect.poll(() => has(`users/${other.uid}/followers/${me.uid}`)).toBe(true);
  await findPerson(me, other);
  await me.page.getByRole("button", { name: "Following Followed Later: unfollow" }).waitFor();
});

test("signing out asks first while something is unsent", async ({ browser }) => {
  const { page } = await signUp(browser, "Hasty Leaver");
  await visit(page, "Profile");
  await page.context().setOffline(true);
  await page.getByText(banner).waitFor();
  await send(page, "Not yet sent.");
  await page.getByText("Waiting for the network").waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("group", { name: /would be lost/ }).waitFor();
  await page.keyboard.press("Escape");
  expect(await page.getByRole("button", { name: "Sign out" }).evaluate((b) => b === document.activeElement)).toBe(true);
  await page.context().setOffline(false);
  await page.getByRole("article").locator("time").waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Create one" }).waitFor();
});

/** How many rows a list has, and how it goes on. */
async function toTheEnd(page: Page, rows: Locator, all: number): Promise<void> {
  await expect
    .poll(async () => {
      await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
      return rows.count();
    })
    .toBe(all);
}

const many = 45; // two pages and a part

for (const [where, fill, go, rows] of [
  ["my own posts", (uid) => publish(uid, many), (page) => visit(page, "Profile"), (page) => page.getByRole("list", { name: "Posts" }).locator("article")],
  [
    "the feed",
    async (uid) => (await publish(`runner-${uid}`, many), await follow(`runner-${uid}`, uid)),
    (page) => visit(page, "Feed"),
    (page) => page.getByRole("list", { name: "Posts of the people you follow" }).locator("article"),
  ],
  [
    "my followers",
    (uid) => follow(uid, ...Array.from({ length: many }, (_, n) => `f${n}`)),
    async (page) => (
      await visit(page, "People"), await page.getByRole("navigation", { name: "Lists of people" }).getByRole("link", { name: "Followers" }).click()
    ),
    (page) => page.getByRole("list", { name: "Followers" }).locator(".person:not(.placeholder *)"),
  ],
] satisfies [string, (uid: string) => Promise<void>, (page: Page) => Promise<void>, (page: Page) => Locator][]) {
  test(`the end of the cache is not the end of ${where}`, async ({ browser }) => {
    const { page, uid } = await signUp(browser, "Long Runner");
    await fill(uid);
    await idle();
    await go(page);
    await expect.poll(() => rows(page).count()).toBe(20);
    await page.context().setOffline(true);
    await page.getByText(banner).waitFor();
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    await page.getByRole("button", { name: "Try again" }).waitFor();
    await page.context().setOffline(false);
    await toTheEnd(page, rows(page), many);
    await page.getByRole("button", { name: /Load older|Try again/ }).waitFor({ state: "detached" });
    expect(page.errors).toEqual([]);
  });
}
