import { expect } from "vitest";

import { isId } from "relationindex-client";
import { focused, open, shown, signUp, test } from "../../browser/browser.ts";
import { follow, idle, register } from "../../firestore.ts";
import { badIds } from "../../ids.ts";

test("a link leads to a page's beginning, back to where the reader was, and a reload stays; an unknown address has a page too", async ({ browser }) => {
  const { page, uid } = await signUp(browser, "Comes Back");
  const ids = Array.from({ length: 30 }, (_, n) => `f${n}-${uid}`);
  for (const [n, id] of ids.entries()) await register(id, `Follower ${n}`);
  await follow(uid, ...ids);
  await idle();
  const names = shown(page).locator(".person .name", { hasText: /Follower/ });
  const scrolled = () => page.evaluate(() => window.scrollY);
  await page.goto("/#/people/followers");
  await expect.poll(() => names.count()).toBe(20);
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  await expect.poll(() => names.count()).toBe(30);
  await names.nth(24).scrollIntoViewIfNeeded();
  const [before, name] = [await scrolled(), (await names.nth(24).textContent())!];
  expect(before).toBeGreaterThan(500);
  await names.nth(24).click();
  const heading = page.getByRole("heading", { level: 1, name, exact: true });
  await page.locator("h1:focus", { hasText: name }).waitFor();
  expect([await scrolled(), await page.title()]).toEqual([0, "Profile · relationindex"]);
  await page.goBack();
  await page.locator("a:focus", { hasText: name }).waitFor();
  expect([await scrolled(), await names.count()]).toEqual([before, 30]);
  await page.goForward();
  await heading.waitFor();
  await page.reload();
  await heading.waitFor();
  const nowhere = page.getByRole("heading", { level: 1, name: "This page does not exist" });
  await page.goto("/#/u/a%2Fb");
  await nowhere.waitFor();
  expect(await heading.count()).toBe(0);
  await page.reload(); // as one comes from elsewhere
  await nowhere.waitFor();
  expect([await focused(page), await page.title()]).toEqual(["This page does not exist", "This page does not exist · relationindex"]);
  await page.getByRole("link", { name: "Go to your feed" }).click();
  await page.getByRole("heading", { level: 1, name: "Feed" }).waitFor();
  expect(page.errors).toEqual([]);
});

test("an address with an impossible id selects nobody in the console", async ({ browser }) => {
  const page = await open(browser, "/console/");
  await page.getByText("No author chosen").first().waitFor();
  for (const [what, id] of Object.entries(badIds)) {
    await page.evaluate((to) => (location.hash = to), `author=${id}&post=${id}&reader=${id}`);
    // URLSearchParams makes replacement characters of malformed percent signs: an id like any other, which is nobody's.
    const none = isId(new URLSearchParams(`id=${id}`).get("id")!) ? "No followers yet" : "No author chosen";
    const said = page.getByText(none).first().waitFor({ timeout: 20_000 });
    await said.catch(() => page.errors.push(`${what}: the page does not say "${none}"`));
    page.errors.push(...(await page.locator(".notice.bad").allTextContents()).map((text) => `${what}: ${text}`));
  }
  expect(page.errors).toEqual([]);
});
