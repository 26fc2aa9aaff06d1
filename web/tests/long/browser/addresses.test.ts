import { expect } from "vitest";

import { isId } from "relationindex-client";
import { focused, open, signUp, test } from "../../browser/browser.ts";
import { idle, profile, write } from "../../firestore.ts";
import { badIds } from "../../ids.ts";

test("the app shows that an unknown address or impossible id does not exist", async ({ browser }) => {
  const { page } = await signUp(browser, "Odd Visitor");
  const nowhere = page.getByRole("heading", { level: 1, name: "This page does not exist" });
  for (const [what, id] of Object.entries(badIds)) {
    for (const address of [`#/u/${id}/members`, `#/about/${id}`]) {
      await page.evaluate(() => (location.hash = "#/groups/owned"));
      await page.getByRole("heading", { level: 1, name: "Groups" }).waitFor();
      await page.evaluate((to) => (location.hash = to), address);
      await nowhere.waitFor({ timeout: 20_000 }).catch(() => page.errors.push(`${what}: ${address.slice(0, 40)} does not say that it does not exist`));
      if (await page.getByRole("heading", { level: 1, name: "Groups" }).count()) page.errors.push(`${what}: ${address.slice(0, 40)} shows the page before`);
    }
  }
  for (const address of ["#/nonsense", "#/p/%ZZ", "#/people/constructor", "#/u/none/__proto__", "#/u/", "#/%", "#/\u202e"]) {
    await page.goto(`/${address}`);
    await page.reload(); // as one comes from elsewhere
    await nowhere.waitFor();
    expect(await focused(page)).toBe("This page does not exist");
    expect(await page.title()).toBe("This page does not exist · relationindex");
  }
  await page.getByRole("link", { name: "Go to your feed" }).click();
  await page.getByRole("heading", { level: 1, name: "Feed" }).waitFor();
  expect(page.errors).toEqual([]);
});

test("impossible ids in one account's document hide no other account's name", async ({ browser }) => {
  const me = await signUp(browser, "Batch Reader");
  const author = `batch-${me.uid}`;
  await write({
    [`users/${author}`]: profile("Ordinary Name"),
    [`users/${author}/followers/${me.uid}`]: { createdAt: new Date() },
    [`posts/${author}-1`]: {
      userId: author,
      audience: author,
      hidden: false,
      createdAt: new Date(),
      text: "To the impossible.",
      to: ["a/b", "__x__", "..", "x".repeat(1_600)],
      refs: ["a/b"],
    },
  });
  await idle();
  const post = me.page.getByRole("article").filter({ hasText: "To the impossible." });
  await post.getByRole("link", { name: "Ordinary Name" }).waitFor();
  expect(me.page.errors).toEqual([]);
});

test("an address with an impossible id selects nobody in the console", async ({ browser }) => {
  const page = await open(browser, "/console/");
  await page.getByText("No author chosen").first().waitFor();
  for (const [what, id] of Object.entries(badIds)) {
    await page.evaluate((to) => (location.hash = to), `author=${id}&post=${id}&reader=${id}`);
    // URLSearchParams makes replacement characters of malformed percent signs: an id like any other, which is nobody's.
    const none = isId(new URLSearchParams(`id=${id}`).get("id")!) ? "No followers yet" : "No author chosen";
    await page
      .getByText(none)
      .first()
      .waitFor({ timeout: 20_000 })
      .catch(() => page.errors.push(`${what}: the page does not say "${none}"`));
    if (await page.locator(".notice.bad").count()) page.errors.push(`${what}: ${await page.locator(".notice.bad").first().textContent()}`);
  }
  expect(page.errors).toEqual([]);
});
