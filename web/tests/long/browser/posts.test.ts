import type { Page } from "playwright-core";
import { expect } from "vitest";

import { follow, idle, publish, register, remove, write } from "../../firestore.ts";
import { post, send, signIn, signUp, test, visit } from "../../browser/browser.ts";

const articles = (page: Page) => page.getByRole("main").getByRole("article");
const drafts = (page: Page) =>
  page.evaluate(() =>
    Object.keys(localStorage)
      .filter((key) => key.startsWith("draft/"))
      .map((key) => key.split("/").slice(2).join("/"))
      .sort(),
  );

test("the time of a post leads to its own page, with its comments; and back to the list as it was", async ({ browser }) => {
  const { page, uid } = await signUp(browser, "Far Down");
  const author = `down-${uid}`;
  await register(author, "Long Writer");
  await follow(author, uid);
  await idle();
  await publish(author, 30);
  await idle();
  await expect.poll(() => articles(page).count()).toBeGreaterThanOrEqual(20);
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  await expect.poll(() => articles(page).count()).toBe(30);

  const permalink = articles(page).nth(24).locator("header a.when");
  await permalink.scrollIntoViewIfNeeded();
  const [before, to] = [await page.evaluate(() => window.scrollY), await permalink.getAttribute("href")];
  expect(before).toBeGreaterThan(1_000);
  await permalink.click();
  await page.getByRole("heading", { level: 1, name: "Post" }).waitFor();
  await page.getByText("No comments yet.").waitFor();
  expect(new URL(page.url()).hash).toBe(to);
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
  await articles(page).getByRole("link", { name: "Long Writer" }).click();
  await expect.poll(() => articles(page).count()).toBe(20);

  const asked: string[] = [];
  page.on("request", (request) => /Aggregation/.test(request.url()) || asked.push(...(request.postData()?.match(/structuredQuery/g) ?? [])));
  let heard = -1; // what the author's page still asks for is over
  await expect.poll(() => [heard, (heard = asked.length)].every((n) => n === asked.length), { interval: 1_000 }).toBe(true);
  asked.length = 0;
  await page.goBack();
  await page.getByText("No comments yet.").waitFor();
  await page.goBack();
  await expect.poll(() => articles(page).count()).toBe(30);
  expect(await page.evaluate(() => window.scrollY)).toBe(before);
  expect(await page.evaluate(() => document.activeElement?.getAttribute("href"))).toBe(to);
  await visit(page, "Feed"); // the same address: nothing happens
  expect(asked).toEqual([]);

  // A link leads to a list that begins anew.
  await visit(page, "Groups");
  await visit(page, "Feed");
  await expect.poll(() => articles(page).count()).toBe(20);
  expect(asked.length).toBeGreaterThan(0);
  expect(page.errors).toEqual([]);
});

test("addresses and #names in posts and comments are links, and nothing else is", async ({ browser }) => {
  const me = await signUp(browser, "Link Writer");
  const { page } = me;
  await post(me, "Some of you have asked me about the road: see https://example.com/a_(b), and #Garden. Not javascript:alert(1) <a href=x>");
  const written = articles(page).first();
  await written.getByRole("button", { name: "Comments" }).click();
  await written.getByLabel("Write a comment").fill("http://example.org/one");
  await page.keyboard.press("Control+Enter");
  await written.locator(".comment time").waitFor();
  const links = await written
    .locator(".post-text a")
    .evaluateAll((all) => all.map((a) => [a.textContent, a.getAttribute("href"), a.getAttribute("target"), a.getAttribute("rel")]));
  const outside = ["_blank", "nofollow noopener noreferrer ugc"];
  expect(links).toEqual([
    ["example.com/a_(b)", "https://example.com/a_(b)", ...outside],
    ["#Garden", "#/about/%23garden", null, null],
    ["http://example.org/one", "http://example.org/one", ...outside],
  ]);
  await written.getByRole("link", { name: "#Garden" }).click();
  await page.getByRole("heading", { level: 1, name: "#garden" }).waitFor();
  expect(page.errors).toEqual([]);
});

test("an offline edit shows at once and is sent later; a rejected edit returns to its form", async ({ browser }) => {
  const me = await signUp(browser, "Late Editor");
  const { page, uid } = me;
  await visit(page, "Profile");
  await post(me, "First words.");
  const id = decodeURIComponent((await articles(page).locator("a.when").getAttribute("href"))!.split("/").at(-1)!);
  const edit = async (text: string) => {
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByLabel("Edit the post").fill(text);
    await page.getByRole("button", { name: "Save" }).click();
  };
  await page.context().setOffline(true);
  await page.getByText("Offline.").waitFor();
  await edit("Second words.");
  await articles(page).getByText("Second words.").waitFor();
  await articles(page).getByText("Waiting for the network").waitFor();
  await page.context().setOffline(false);
  await articles(page).getByText("edited").waitFor();

  await write({ [`posts/${id}`]: { userId: uid, audience: "g_nobodys", hidden: false, createdAt: new Date(), text: "Moved." } });
  await articles(page).getByText("Moved.").waitFor();
  await edit("Third words.");
  await page.getByText("Not saved. This is not allowed.").waitFor();
  await expect.poll(() => page.getByLabel("Edit the post").inputValue()).toBe("Third words.");
  await page.getByRole("button", { name: "Cancel" }).click();
  await articles(page).getByText("Moved.").waitFor();
  expect(await drafts(page)).toEqual([]);
  expect(page.errors).toEqual([]);
});

test("a draft survives a reload, and is deleted when sent or at sign-out", async ({ browser }) => {
  const me = await signUp(browser, "Draft Writer");
  const { page } = me;
  await post(me, "Something to talk about.");
  const writing = page.getByLabel("Write a post");
  await writing.fill("In the fe");
  await page.getByLabel("Who gets this post").selectOption("Only people I add");
  await visit(page, "Profile");
  await expect.poll(() => writing.inputValue()).toBe("");
  await writing.fill("On my page");
  await articles(page).getByRole("button", { name: "Comments" }).click();
  await page.getByLabel("Write a comment").fill("A comm");
  await articles(page).getByRole("button", { name: "Edit", exact: true }).click();
  await page.getByLabel("Edit the post").fill("Something to wr");
  expect((await drafts(page)).map((place) => place.split("/")[0])).toEqual(["comment", "edit", "feed", "profile"]);

  await page.reload();
  await articles(page).getByRole("button", { name: "Edit draft" }).click();
  await expect.poll(() => page.getByLabel("Edit the post").inputValue()).toBe("Something to wr");
  await page.getByRole("button", { name: "Cancel" }).click();
  await articles(page).getByRole("button", { name: "Comments" }).click();
  await expect.poll(() => page.getByLabel("Write a comment").inputValue()).toBe("A comm");
  await page.getByRole("button", { name: "Comment", exact: true }).click();
  await expect.poll(() => writing.inputValue()).toBe("On my page");
  await send(page, "On my page, sent.");
  await visit(page, "Feed");
  await expect.poll(() => writing.inputValue()).toBe("In the fe");
  await expect.poll(() => page.getByLabel("Who gets this post").inputValue()).toBe(""); // who does not get it does not by accident
  expect(await drafts(page)).toEqual(["feed"]);
  // The way back to a form whose text was sent elsewhere meanwhile. Sign out asks first while the server has not got a post.
  await page.goBack();
  await expect.poll(() => writing.inputValue()).toBe("");
  await page.getByRole("article").filter({ hasText: "On my page, sent." }).locator("time").first().waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Create one" }).waitFor();
  expect(await drafts(page)).toEqual([]);
  await signIn(page, me.email);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await visit(page, "Feed");
  await expect.poll(() => writing.inputValue()).toBe("");
  expect(page.errors).toEqual([]);
});

test("several reposts of a post are one entry, with the post as it is, or a word that it is not here", async ({ browser }) => {
  const { page, uid } = await signUp(browser, "Repost Reader");
  const [author, ...friends] = ["author", "one", "two", "three"].map((name) => `${name}-${uid}`) as [string, ...string[]];
  for (const [i, id] of [author, ...friends].entries()) await register(id, ["Ann Author", "Una One", "Tess Two", "Theo Three"][i]!);
  for (const id of friends) await follow(id, uid);
  await idle();
  const at = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  const repost = (by: string, minutes: number) => ({
    [`posts/${by}.${author}-000`]: { userId: by, audience: by, hidden: false, createdAt: at(minutes), text: "", kind: "repost", repostOf: `${author}-000` },
  });
  await publish(author, 1, "Worth repeating.");
  await write({
    ...repost(friends[0]!, 30),
    ...repost(friends[1]!, 10),
    [`posts/between-${uid}`]: { userId: friends[2]!, audience: friends[2]!, hidden: false, createdAt: at(20), text: "Between." },
  });
  await idle();

  const rows = page.getByRole("list", { name: "Posts of the people you follow" }).locator(":scope > li:not(.placeholder)");
  await page.getByText("Tess Two and Una One reposted").waitFor();
  await expect.poll(() => rows.locator(".post-text").allTextContents()).toEqual(["Worth repeating.", "Between."]);
  await write(repost(friends[2]!, 5));
  await page.getByText("Theo Three, Tess Two and 1 other reposted").waitFor();
  await expect.poll(() => rows.count()).toBe(2);

  // Mine is beside it, once however often it is pressed.
  await rows.first().getByRole("link", { name: "Ann Author" }).waitFor();
  await rows.first().getByRole("button", { name: "Repost" }).click();
  await page.getByRole("status").getByText("Reposted.").waitFor();
  await visit(page, "Profile");
  await page.getByText("You reposted").waitFor();
  await articles(page).getByRole("button", { name: "Repost", pressed: true }).waitFor();
  await expect.poll(() => articles(page).count()).toBe(1);
  await page.getByRole("button", { name: "Take the repost back" }).click();
  await page.getByText("Nothing written yet").waitFor();

  await visit(page, "Feed");
  await rows.first().getByText("Worth repeating.").waitFor();
  await remove(`posts/${author}-000`);
  await rows.first().getByText("This post is not here").waitFor();
  expect(page.errors).toEqual([]);
});
