import type { Page } from "playwright-core";
import { expect } from "vitest";

import { follow, has, idle, postsBy, profile, publish, remove, write } from "../../firestore.ts";
import { findPerson, focused, inFeed, send, shown, signUp, test, visit } from "../../browser/browser.ts";

const waiting = "Waiting for the network";
const banner = (page: Page) => page.getByText("Offline. What you write is sent later.");

/** Takes the network away. */
const offline = async (page: Page) => (await page.context().setOffline(true), await banner(page).waitFor());

test("without a network, a post and a follow wait, also while the tab is closed, and are sent once; typed text stays", async ({ browser }) => {
  const [me, other] = await Promise.all([signUp(browser, "Tunnel Writer"), signUp(browser, "Followed Later")]);
  const { page, uid } = me;
  const mine = shown(page).getByRole("article").filter({ hasText: "From the tunnel." });
  // A write goes out on a stream. The first one reaches the server, and then the stream breaks before the answer is read.
  let broken = 0;
  await page.route(/Firestore\/Write\/channel/, async (route) => {
    if (broken > 0 || !route.request().postData()?.includes("posts%2F")) return route.continue();
    broken++;
    await route.fetch();
    await route.abort("connectionreset");
  });
  await offline(page);
  await send(page, "From the tunnel.");
  await mine.getByText(waiting).waitFor();
  expect(await postsBy(uid)).toBe(0);
  await page.context().setOffline(false);
  await banner(page).waitFor({ state: "detached" });
  await mine.locator("time").waitFor();
  expect([broken, await mine.count(), await postsBy(uid)]).toEqual([1, 1, 1]);
  await findPerson(me, other);
  const button = shown(page).getByRole("button", { name: "Follow Followed Later" });
  await button.waitFor();
  await offline(page);
  await button.click();
  await shown(page).getByRole("button", { name: "Following… Followed Later" }).waitFor();
  await visit(page, "Feed");
  await send(page, "Before the tab was closed.");
  await shown(page).getByText(waiting).waitFor();
  await page.getByLabel("Write a post").fill("Half a sen");
  // Signing out would lose both: it asks.
  await page.goto("/#/settings");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("dialog", { name: /would be lost/ }).waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(() => focused(page)).toBe("Sign out");
  await page.close();
  await page.context().setOffline(false);
  const again = await page.context().newPage();
  await again.goto("/");
  await expect.poll(() => postsBy(uid)).toBe(2);
  await expect.poll(() => has(`users/${other.uid}/followers/${uid}`)).toBe(true);
  await again.reload(); // they were sent while the app began to listen. stale: firestore.ts
  await expect.poll(() => again.getByLabel("Write a post").inputValue()).toBe("Half a sen");
  await visit(again, "Profile");
  await shown(again).getByRole("article").filter({ hasText: "Before the tab was closed." }).locator("time").waitFor();
  expect(await postsBy(uid)).toBe(2);
  expect(page.errors).toEqual([]);
});

test("a post that waited and is refused is in its field again, with who gets it, and why", async ({ browser }) => {
  const me = await signUp(browser, "Removed Meanwhile");
  const { page, uid } = me;
  const group = `g_${uid}`;
  await write({
    [`users/${group}`]: { ...profile("Rowing Club"), ownerId: "somebody", post: "members", closed: false },
    [`users/${group}/followers/${uid}`]: { createdAt: new Date() },
  });
  await idle();
  const chip = page.getByRole("button", { name: /^Who gets this post/ });
  await page.getByLabel("Write a post").fill("To the club.");
  await chip.click();
  await page.getByRole("radio", { name: "Rowing Club" }).check();
  await page.keyboard.press("Escape");
  await offline(page);
  await page.getByRole("button", { name: "Post", exact: true }).click();
  await inFeed(me, "To the club.").getByText(waiting).waitFor();
  expect(await chip.textContent()).toBe("Followers (public)");
  await remove(`users/${group}/followers/${uid}`);
  await page.context().setOffline(false);
  await page.getByRole("alert").getByText("Not posted. This is not allowed.").waitFor();
  await expect.poll(() => page.getByLabel("Write a post").inputValue()).toBe("To the club.");
  expect([await chip.textContent(), await inFeed(me, "To the club.").count(), await postsBy(uid)]).toEqual(["Group: Rowing Club", 0, 0]);
  expect(page.errors).toEqual([]);
});

test("the end of the cache is not the end of a list", async ({ browser }) => {
  const me = await signUp(browser, "Long Runner");
  const { page, uid } = me;
  await publish(`runner-${uid}`, 45); // two pages and a part
  await follow(`runner-${uid}`, uid);
  await idle();
  const toTheEnd = () => page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  await expect.poll(() => inFeed(me, "Hello").count()).toBe(20);
  await offline(page);
  await toTheEnd();
  await page.getByRole("button", { name: "Try again" }).waitFor();
  await page.context().setOffline(false);
  await expect.poll(async () => (await toTheEnd(), inFeed(me, "Hello").count())).toBe(45);
  await page.getByRole("button", { name: /Load older|Try again/ }).waitFor({ state: "detached" });
  expect(page.errors).toEqual([]);
});
