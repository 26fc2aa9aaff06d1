import { expect } from "vitest";

import { named, open, overflow, type Person, post, readFrom, signUp, test, violations, visit } from "../../browser/browser.ts";
import { choir, seed } from "../../browser/seed.ts";

const phone = { viewport: { width: 360, height: 740 } };

const views: Record<string, (me: Person) => Promise<void>> = {
  feed: async ({ page }) => {
    await visit(page, "Feed");
    await page.getByRole("article").nth(10).waitFor();
  },
  "the comments of a post": async ({ page }) => {
    const first = page.getByRole("list", { name: "Posts of the people you follow" }).getByRole("article").first();
    await first.getByRole("button", { name: "Comments" }).click();
    await first.getByLabel("Write a comment").fill("A comment.");
    await page.keyboard.press("Control+Enter");
    await first.locator(".comment time").waitFor();
  },
  "a post being edited": async (me) => {
    await visit(me.page, "Profile");
    await post(me, "About to be edited.");
    await me.page.getByRole("button", { name: "Edit", exact: true }).first().click();
  },
  "my profile being edited": async ({ page }) => {
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Edit profile" }).click();
    await page.getByLabel("About you").fill("Bread and bridges.");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Edit profile" }).click();
  },
  "a post about to be deleted": async ({ page }) => {
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Delete" }).first().click();
  },
  "a post alone": async ({ page }) => {
    await page.goto("/#/p/seed-plot");
    await page.getByRole("article").first().waitFor();
  },
  "a post that is gone": async ({ page }) => {
    await page.goto("/#/p/none");
    await page.getByText("This post is not here").waitFor();
  },
  "no page": async ({ page }) => {
    await page.goto("/#/nonsense");
    await page.getByText("This page does not exist").waitFor();
  },
  "a closed group": async ({ page }) => {
    await page.goto("/#/u/g_board");
    await page.getByText("This group is closed").waitFor();
  },
  everyone: async ({ page }) => {
    await visit(page, "People");
    await page
      .getByRole("button", { name: /^Follow/ })
      .nth(5)
      .waitFor();
  },
  ...Object.fromEntries(
    ["Following", "Followers"].map((tab) => [
      tab.toLowerCase(),
      async ({ page }: Person) => {
        await page.getByRole("link", { name: tab, exact: true }).click();
        await page
          .getByRole("button", { name: /: unfollow$/ })
          .first()
          .waitFor();
      },
    ]),
  ),
  "a follower about to be blocked": async ({ page }) => {
    await page
      .getByRole("button", { name: /^Block/ })
      .first()
      .click();
  },
  "an empty list": async ({ page }) => {
    await page.getByRole("link", { name: "Blocked" }).click();
    await page.getByText("You have blocked nobody").waitFor();
  },
  "a feed that failed, offline": async ({ page }) => {
    await page.route("**/Feed?*", (route) => route.fulfill({ status: 503, json: { error: { code: "unavailable", message: "later" } } }));
    await visit(page, "Feed");
    await readFrom(page, "feed");
    await page.getByRole("button", { name: "Try again" }).waitFor();
    await page.context().setOffline(true);
    await page.getByText("Offline.").waitFor();
  },
  "somebody's profile": async ({ page }) => {
    await page.context().setOffline(false);
    await page.goto("/#/u/seed-0");
    await page.getByRole("article").first().waitFor();
  },
  "a private account": async ({ page }) => {
    await page.goto("/#/u/seed-12");
    await page.getByRole("button", { name: "Request to follow Mia" }).waitFor();
  },
  "requests to me": async ({ page }) => {
    await page.goto("/#/people/requests");
    await page
      .getByRole("button", { name: /^Accept/ })
      .nth(1)
      .waitFor();
  },
  "groups, and a new one": async ({ page }) => {
    await visit(page, "Groups");
    await page.getByRole("button", { name: "Joined Allotment Society: leave" }).waitFor();
    await page.getByRole("button", { name: "New group" }).click();
  },
  "a topic, and people named": async ({ page }) => {
    await page.goto("/#/u/g_allotment");
    await page.getByRole("article").nth(1).waitFor();
    await page.getByRole("button", { name: "Add people" }).click();
    await page.getByLabel("Add people by name").fill("g");
    await page.getByRole("button", { name: "Add Greta Sørensen" }).click();
    await page.getByLabel("Add people by name").fill("h");
    await page.getByRole("button", { name: "Add Hiroshi Tanaka" }).waitFor();
  },
  "members of my group": async ({ page, uid }) => {
    await page.goto(`/#/u/${choir(uid)}/members`);
    await page
      .getByRole("button", { name: /^Remove/ })
      .nth(4)
      .waitFor();
  },
  "a page about something": async ({ page }) => {
    await page.unroute("**/Feed?*");
    await page.goto("/#/about/%23frost");
    await page.getByRole("article").first().waitFor();
  },
};

/** These are looked at as wide as a laptop, too, where what stands beside the page is seen. */
const wide = new Set(["sign in", "feed", "my profile being edited", "everyone", "a topic, and people named", "members of my group"]);

test("axe finds nothing in any view, in light or in dark, on a phone or a laptop, and none is wider than a small phone", async ({ browser }) => {
  const door = await open(browser, "/", phone);
  const found: Record<string, string[]> = {};
  const look = async (name: string, page: Person["page"]) => {
    await named(page);
    const all = await violations(page);
    const wider = await overflow(page);
    if (wider > 0) all.push(`${wider} px wider than 360`);
    if (wide.has(name)) {
      await page.setViewportSize({ width: 1280, height: 800 });
      all.push(...(await violations(page)).map((one) => `at 1280 px: ${one}`));
      await page.setViewportSize(phone.viewport);
    }
    if (all.length > 0) found[name] = all;
  };
  await door.getByRole("button", { name: "Create one" }).waitFor();
  await look("sign in", door);
  await door.getByRole("button", { name: "Create one" }).click();
  await look("sign up", door);

  const me = await signUp(browser, "Looked At", phone);
  await me.page.getByText("Your feed is empty").waitFor();
  await look("empty feed", me.page);
  await seed(me.uid);
  for (const [name, go] of Object.entries(views)) {
    await go(me);
    await look(name, me.page);
  }
  expect(found).toEqual({});
  console.log(`axe: ${Object.keys(views).length + 3} views, light and dark, at 360 px`);
});
