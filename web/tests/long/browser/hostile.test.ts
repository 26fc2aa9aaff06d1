import { expect } from "vitest";

import { idle, write } from "../../firestore.ts";
import { overflow, post, signUp, test, visit } from "../../browser/browser.ts";

const scripts = [
  '<script>alert("script")</script>',
  '<img src=x onerror="alert(1)">',
  "javascript:alert(1)",
  '"><svg onload=alert(2)>',
  "{{constructor.constructor('alert(3)')()}}",
];

test("scripts in names and posts are text: in the feed, among people, in profiles", async ({ browser }) => {
  const me = await signUp(browser, `Eve ${scripts[1]}`);
  const author = `hostile-${me.uid}`;
  await write({
    [`users/${author}`]: { name: scripts[0]!, nameLower: "hostile" },
    [`users/${author}/followers/${me.uid}`]: { createdAt: new Date() },
    ...Object.fromEntries(scripts.map((text, i) => [`posts/${author}-${i}`, { userId: author, createdAt: new Date(), text }])),
  });
  await idle();

  const { page } = me;
  for (const text of scripts) await page.getByRole("article").filter({ hasText: text }).first().waitFor();
  await post(me, scripts.join(" "));
  await visit(page, "People");
  await page.getByLabel("Search by name").fill("hostile");
  await page.getByText(scripts[0]!).waitFor();
  await page.goto(`/#/u/${author}`);
  await page.getByRole("heading", { level: 1, name: scripts[0]! }).waitFor();
  await visit(page, "Profile");
  await page.getByRole("heading", { level: 1, name: me.name }).waitFor();
  // All of it came in as text: the page has no element but its own, and nothing ran.
  await expect
    .poll(() => page.locator("#app script, #app img:not([src='/icon.svg']), #app [onerror], #app [onload], #app a[href^='javascript']").count())
    .toBe(0);
  expect(page.errors).toEqual([]);
});

test("malformed documents are shown as far as possible", async ({ browser }) => {
  const me = await signUp(browser, "Mal Formed");
  const author = `odd-${me.uid}`;
  await write({
    [`users/${author}`]: { name: 7 },
    [`users/${author}/followers/${me.uid}`]: { createdAt: new Date() },
    [`posts/${author}-1`]: { userId: author, createdAt: "yesterday", text: 12 },
    [`posts/${author}-2`]: { userId: author, createdAt: new Date(), text: "A post like any other." },
  });
  await idle();
  await me.page.getByText("A post like any other.").waitFor();
  await me.page.getByRole("article").getByRole("link", { name: "Someone" }).nth(1).waitFor();
  await expect.poll(() => me.page.getByRole("article").count()).toBe(2);
  await me.page.goto("/#/u/%E0%A4%A"); // an address that cannot be decoded
  await me.page.getByRole("heading", { level: 1, name: "This page does not exist" }).waitFor();
  expect(me.page.errors).toEqual([]);
});

test("a post of 900 KB shows its beginning, and more in steps", async ({ browser }) => {
  const me = await signUp(browser, "Long Reader", { viewport: { width: 360, height: 740 } });
  const author = `long-${me.uid}`;
  const text = "x".repeat(450_000) + " ordinary words ".repeat(30_000); // half of it one word
  expect(text.length).toBe(930_000);
  await write({
    [`users/${author}`]: { name: "Long Author", nameLower: "long author" },
    [`users/${author}/followers/${me.uid}`]: { createdAt: new Date() },
    [`posts/${author}`]: { userId: author, createdAt: new Date(), text },
  });
  await idle();

  const { page } = me;
  const shown = () => page.locator("article .post-text").evaluate((p) => p.textContent?.length ?? 0);
  await page.getByRole("button", { name: /^Show more \(929,/ }).waitFor();
  expect(await shown()).toBeLessThan(1_000);
  for (const most of [6_000, 16_000, 26_000]) {
    await page.getByRole("button", { name: /^Show more/ }).click();
    expect(await shown()).toBeLessThan(most);
  }
  expect(await overflow(page)).toBe(0);
});

test("a text that is too long is counted and not sent", async ({ browser }) => {
  const { page } = await signUp(browser, "Wordy Writer");
  await page.getByLabel("Write a post").fill("y".repeat(9_600));
  await page.getByText("400 left").waitFor();
  await page.getByLabel("Write a post").fill("y".repeat(10_001));
  await page.getByText("1 too many").waitFor();
  await page.getByRole("button", { name: "Post", exact: true }).click({ force: true });
  expect(await page.getByLabel("Write a post").inputValue()).toHaveLength(10_001);
  await expect.poll(() => page.getByRole("article").count()).toBe(0);
});
