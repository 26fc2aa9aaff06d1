// Likes, reposts, numbers and notifications, beside functions that keep them.
import { deleteDoc, doc } from "firebase/firestore";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";

import { type Addresses, start } from "../../system.ts";
import { client, idle, profile, write } from "../../firestore.ts";
import { answer, named, overflow, type Person, post, reloadUntil, shown, signUp, test, violations, visit } from "../../browser/browser.ts";

let system: { addresses: Addresses; stop: () => Promise<void> };
let owner: ReturnType<typeof client>;
beforeAll(async () => {
  system = await start({ RELATIONINDEX_COUNTS: "true", RELATIONINDEX_NOTIFICATIONS: "true" });
  owner = client("owner", system.addresses.project, system.addresses);
});
afterAll(() => system.stop());

/** Signs up somebody whose marks are there before they are written: stale, firestore.ts. */
async function join(browser: Browser, name: string, options = {}): Promise<Person> {
  const one = await signUp(browser, name, { baseURL: system.addresses.webURL, ...options });
  await write({ [`users/${one.uid}/settings/read`]: {} }, owner);
  return one;
}

const button = (page: Page, name: string, pressed?: boolean) =>
  shown(page).getByRole("button", { name, exact: true, ...(pressed !== undefined && { pressed }) });
const badge = ({ page }: Person) => page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Notifications" }).locator(".count");
const rows = ({ page }: Person) => shown(page).getByRole("list", { name: "Notifications" }).getByRole("listitem");
const sentences = (one: Person) => rows(one).locator(".sentence").allTextContents();
const numbers = ({ page }: Person) => shown(page).getByRole("region", { name: "Profile" }).locator(".counts").textContent();

test("likes, comments and follows: numbers and the badge change live, are seen, and are taken back", async ({ browser }) => {
  const [ada, bob] = await Promise.all([join(browser, "Ada Liked", { viewport: { width: 360, height: 740 } }), join(browser, "Bob Likes")]);
  await post(ada, "Who has a ladder?");
  await idle(system.addresses);
  await bob.page.goto(`/#/u/${ada.uid}`);
  await expect.poll(() => numbers(bob)).toBe("0 following0 followers1 post");
  await button(bob.page, "Like, 0 likes").click();
  await button(bob.page, "Like, 1 like", true).waitFor();
  await button(bob.page, "Comments, 0 comments").click();
  await shown(bob.page).getByLabel("Write a comment").fill("I have one.");
  await button(bob.page, "Comment").click();

  // Ada has done nothing.
  await button(ada.page, "Like, 1 like", false).waitFor();
  await button(ada.page, "Comments, 1 comment").waitFor();
  await badge(ada).getByText("2 to look at").waitFor();
  await visit(ada.page, "Notifications");
  await expect.poll(() => sentences(ada)).toEqual(["Bob Likes commented on your post New", "Bob Likes liked your post New"]);
  await badge(ada).waitFor({ state: "detached" });
  await named(ada.page);
  expect([...(await violations(ada.page)), await overflow(ada.page)]).toEqual([0]);
  await ada.page.reload();
  await rows(ada).getByRole("link", { name: "liked your post" }).click();
  await shown(ada.page).getByRole("article").filter({ hasText: "Who has a ladder?" }).waitFor();

  await bob.page.reload(); // the page asks what is liked
  await button(bob.page, "Like, 1 like", true).click();
  await button(bob.page, "Like, 0 likes", false).waitFor();
  await button(ada.page, "Like, 0 likes", false).waitFor();
  await visit(ada.page, "Notifications");
  await expect.poll(() => sentences(ada)).toEqual(["Bob Likes commented on your post"]);
  await button(bob.page, "Follow Ada Liked").click();
  await expect.poll(() => sentences(ada)).toEqual(["Bob Likes follows you New", "Bob Likes commented on your post"]);
  await badge(ada).waitFor({ state: "detached" }); // what the open page shows is seen
  await rows(ada).getByRole("link", { name: "follows you" }).click();
  await expect.poll(() => numbers(ada)).toBe("1 following0 followers0 posts");
  await expect.poll(() => numbers(bob)).toBe("0 following1 follower1 post");

  expect([...ada.page.errors, ...bob.page.errors]).toEqual([]);
});

test("a private account: a request stays in the badge until it is answered, and only then are the posts read", async ({ browser }) => {
  const [ada, bob] = await Promise.all([join(browser, "Ada Asked"), join(browser, "Bob Asks")]);
  await post(ada, "For followers alone.");
  await ada.page.goto("/#/settings");
  await shown(ada.page).getByLabel("Private account").click();
  await ada.page.getByText("Private: new followers").waitFor();
  await bob.page.goto(`/#/u/${ada.uid}`);
  await shown(bob.page).getByText("This account is private").waitFor();
  await button(bob.page, "Request to follow Ada Asked").click();
  await badge(ada).getByText("1 to look at").waitFor();
  await visit(ada.page, "Notifications");
  await expect.poll(() => sentences(ada)).toEqual(["Bob Asks asks to follow you New"]);
  await visit(ada.page, "Feed");
  await visit(ada.page, "Notifications");
  await expect.poll(() => sentences(ada)).toEqual(["Bob Asks asks to follow you"]); // it has been seen
  await badge(ada).getByText("1 to look at").waitFor();
  await button(ada.page, "Accept Bob Asks").click();
  await badge(ada).waitFor({ state: "detached" });
  await idle(system.addresses);
  await reloadUntil(bob.page, button(bob.page, "Following Ada Asked: unfollow"));
  await shown(bob.page).getByText("For followers alone.").waitFor();

  await button(bob.page, "Following Ada Asked: unfollow").click();
  await answer(bob.page, "Unfollow"); // it is not undone alone
  await shown(bob.page).getByText("This account is private").waitFor();
  expect([...ada.page.errors, ...bob.page.errors]).toEqual([]);
});

test("several reposts of a post are one entry, with the post as it is, or a word that it is not here", async ({ browser }) => {
  const { page, uid } = await join(browser, "Repost Reader");
  const [ann, una, tess] = ["ann", "una", "tess"].map((name) => `${name}-${uid}`) as [string, string, string];
  const long = { createdAt: new Date(1000) };
  await write({ [`users/${ann}`]: profile("Ann"), [`users/${una}`]: profile("Una"), [`users/${tess}`]: profile("Tess") }, owner);
  await write({ [`users/${una}/followers/${uid}`]: long, [`users/${tess}/followers/${uid}`]: long }, owner);
  await idle(system.addresses);
  const by = (id: string, more: object) => ({ userId: id, audience: id, hidden: false, createdAt: new Date(), ...more });
  const repost = (id: string) => write({ [`posts/${id}.${ann}`]: by(id, { text: "", kind: "repost", repostOf: ann }) }, owner);
  await write({ [`posts/${ann}`]: by(ann, { text: "Worth repeating." }), [`posts/${tess}`]: by(tess, { text: "Between." }) }, owner);
  await repost(una);
  const texts = () => shown(page).locator("ul.list .post-text").allTextContents();
  await expect.poll(texts).toEqual(["Worth repeating.", "Between."]);
  await shown(page).getByText("Una reposted").waitFor();
  await repost(tess);
  await shown(page).getByText("Tess and Una reposted").waitFor();
  expect(await texts()).toEqual(["Worth repeating.", "Between."]);

  await button(page, "Repost").first().click();
  await page.getByRole("status").getByText("Reposted.").waitFor();
  await visit(page, "Profile");
  await shown(page).getByText("You reposted").waitFor();
  await button(page, "Take the repost back").click();
  await shown(page).getByText("Nothing written yet").waitFor();
  await visit(page, "Feed");
  await deleteDoc(doc(owner, `posts/${ann}`));
  await shown(page).getByText("This post is not here").waitFor();
  expect(page.errors).toEqual([]);
});
