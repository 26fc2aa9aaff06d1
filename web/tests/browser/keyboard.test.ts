import { expect } from "vitest";

import { profile, write } from "../firestore.ts";
import { focused, open, shown, tabTo, test } from "./browser.ts";

test("once through by keyboard only: sign up, follow, post, comment, hide, delete, settings, unfollow", async ({ browser }) => {
  const tag = Date.now().toString(36);
  await write({ [`users/key-${tag}`]: profile(`Keyed ${tag}`) });
  const page = await open(browser);
  await page.getByRole("button", { name: "Create one" }).waitFor();

  await tabTo(page, "Create one");
  await page.keyboard.press("Enter");
  await page.keyboard.type("Kay Board"); // the focus is in the first field by itself
  await page.keyboard.press("Tab");
  await page.keyboard.type(`kay-${tag}@example.com`);
  await page.keyboard.press("Tab");
  await page.keyboard.type("correct horse");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Feed" }).waitFor();

  // The first stop is the skip link, and it skips.
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await tabTo(page, "Skip to the content");
  await page.keyboard.press("Enter");
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");

  await tabTo(page, "People");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "People" }).waitFor();
  await page.waitForFunction(() => document.activeElement?.tagName === "H1");
  await tabTo(page, "Search by name");
  await page.keyboard.type(`keyed ${tag}`);
  await page.getByRole("button", { name: `Follow Keyed ${tag}` }).waitFor();
  await page.waitForFunction(() => document.querySelectorAll(".view:not([hidden]) .person").length === 1);
  await tabTo(page, `Keyed ${tag}`);
  await page.keyboard.press("Enter");
  await page.getByText("Nothing written yet").waitFor(); // stale: firestore.ts
  await tabTo(page, `Follow Keyed ${tag}`);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: `Following Keyed ${tag}: unfollow` }).waitFor();
  expect(await focused(page)).toBe(`Following Keyed ${tag}: unfollow`); // the focus has stayed

  await tabTo(page, "Profile");
  await page.keyboard.press("Enter");
  await tabTo(page, "Write a post");
  await page.keyboard.type("By keyboard.");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("article").filter({ hasText: "By keyboard." }).locator("time").waitFor();

  // A comment, and the post's menu: arrows move in it, Escape leaves it.
  await tabTo(page, "Comments");
  await page.keyboard.press("Enter");
  await tabTo(page, "Write a comment");
  await page.keyboard.type("And a comment.");
  await page.keyboard.press("Control+Enter");
  await page.locator(".comment time").waitFor();
  await tabTo(page, "More about this post", "Shift+Tab");
  await page.keyboard.press("Enter");
  await expect.poll(() => focused(page)).toBe("Edit");
  await page.keyboard.press("Enter");
  await expect.poll(() => focused(page)).toBe("Edit the post");
  await page.keyboard.type("Kept. ");
  await page.keyboard.press("Escape");
  await expect.poll(() => focused(page)).toBe("More about this post");
  await page.keyboard.press("Enter");
  await expect.poll(() => focused(page)).toBe("Edit draft");
  await page.keyboard.press("ArrowDown");
  expect(await focused(page)).toBe("Hide from everyone");
  await page.keyboard.press("Enter");
  await page.getByRole("article").getByText("Hidden from everyone").waitFor();
  await page.keyboard.press("Enter");
  await expect.poll(() => focused(page)).toBe("Edit draft");
  await page.keyboard.press("ArrowUp");
  expect(await focused(page)).toBe("Delete");
  await page.keyboard.press("Enter");
  await expect.poll(() => focused(page)).toBe("Cancel");
  await page.keyboard.press("Escape");
  await expect.poll(() => focused(page)).toBe("More about this post");
  await expect.poll(() => page.getByText("By keyboard.", { exact: true }).count()).toBe(1);
  await page.keyboard.press("Enter");
  await expect.poll(() => focused(page)).toBe("Edit draft");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await expect.poll(() => focused(page)).toBe("Cancel");
  await tabTo(page, "Delete");
  await page.keyboard.press("Enter");
  await shown(page).getByText("Nothing written yet").waitFor();
  // The post with the focus is gone: the focus is not.
  expect(await page.evaluate(() => document.activeElement !== document.body)).toBe(true);

  await tabTo(page, "Settings");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
  await tabTo(page, "Private account");
  await page.keyboard.press("Space");
  await page.getByText("Private: new followers have to ask").waitFor();

  await tabTo(page, "People");
  await page.keyboard.press("Enter");
  await tabTo(page, "Following");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: `Following Keyed ${tag}: unfollow` }).waitFor();
  await tabTo(page, `Following Keyed ${tag}: unfollow`);
  await page.keyboard.press("Enter");
  await page.getByText("You follow nobody yet").waitFor();
  expect(page.errors).toEqual([]);
});
