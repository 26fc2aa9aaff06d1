// Likes, reposts, numbers and notifications, beside functions that keep them.
import { deleteDoc, doc, setDoc } from "firebase/firestore";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";

import { type Addresses, start } from "../../system.ts";
import { client, idle, profile, write } from "../../firestore.ts";
import { answer, inFeed, named, open, overflow, type Person, post, reloadUntil, shown, signUp, test, violations, visit } from "../../browser/browser.ts";

let system: { addresses: Addresses; stop: () => Promise<void> };
let owner: ReturnType<typeof client>;
beforeAll(async () => {
  system = await start({ RELATIONINDEX_COUNTS: "true", RELATIONINDEX_NOTIFICATIONS: "true" });
  owner = client("owner", system.addresses.project, system.addresses);
});
afterAll(() => system.stop());

const join = (browser: Browser, name: string, options = {}) => signUp(browser, name, { baseURL: system.addresses.webURL, ...options });
const button = (page: Page, name: string | RegExp) => shown(page).getByRole("button", { name, exact: true });
const toLookAt = ({ page }: Person, text: string) =>
  page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Notifications" }).getByText(text);
const rows = ({ page }: Person) => shown(page).getByRole("list", { name: "Notifications" }).getByRole("listitem");
const sentences = (one: Person) => rows(one).locator(".sentence").allTextContents();

/** Somebody whose marks are there before they are written: stale, firestore.ts. */
async function notified(browser: Browser, name: string, options = {}): Promise<Person> {
  const one = await join(browser, name, options);
  await write({ [`users/${one.uid}/settings/read`]: {} }, owner);
  return one;
}

test("likes, comments and follows: numbers and the badge change live, are seen, and are taken back", async ({ browser }) => {
  const [ada, bob] = await Promise.all([notified(browser, "Ada Liked", { viewport: { width: 360, height: 740 } }), join(browser, "Bob Likes")]);
  await visit(ada.page, "Notifications");
  await shown(ada.page).getByText("Nothing new yet").waitFor();
  await visit(ada.page, "Feed");
  await post(ada, "Who has a ladder?");
  await idle(system.addresses);
  await bob.page.goto(`/#/u/${ada.uid}`);
  const numbers = shown(bob.page).getByRole("region", { name: "Profile" });
  await expect.poll(() => numbers.textContent()).toMatch(/0 followers1 post/);
  await button(bob.page, "Like, 0 likes").click();
  await bob.page.getByRole("button", { name: "Like, 1 like", exact: true, pressed: true }).waitFor();
  await button(bob.page, /^Comments/).click();
  await shown(bob.page).getByLabel("Write a comment").fill("I have one.");
  await button(bob.page, "Comment").click();
  await button(bob.page, "Comments, 1 comment").waitFor();

  // Ada has done nothing.
  await button(ada.page, "Like, 1 like").and(ada.page.locator("[aria-pressed=false]")).waitFor();
  await button(ada.page, "Comments, 1 comment").waitFor();
  await toLookAt(ada, "2 to look at").waitFor();
  await visit(ada.page, "Notifications");
  await expect.poll(() => sentences(ada)).toEqual(["Bob Likes commented on your post New", "Bob Likes liked your post New"]);
  await toLookAt(ada, "to look at").waitFor({ state: "hidden" });
  await named(ada.page);
  expect([...(await violations(ada.page)), await overflow(ada.page)]).toEqual([0]);
  await ada.page.reload();
  await rows(ada).getByRole("link", { name: "liked your post" }).click();
  await shown(ada.page).getByRole("article").filter({ hasText: "Who has a ladder?" }).waitFor();

  await bob.page.reload(); // the page asks what is liked
  await bob.page.getByRole("button", { name: "Like, 1 like", exact: true, pressed: true }).click();
  await button(bob.page, "Like, 0 likes").waitFor();
  await button(ada.page, "Like, 0 likes").waitFor();
  await visit(ada.page, "Notifications");
  await expect.poll(() => sentences(ada)).toEqual(["Bob Likes commented on your post"]);
  await button(bob.page, "Follow Ada Liked").click();
  await rows(ada).locator(".new", { hasText: "follows you" }).waitFor(); // what the open page shows is seen
  await toLookAt(ada, "to look at").waitFor({ state: "hidden" });
  await rows(ada).getByRole("link", { name: "follows you" }).click();
  await shown(ada.page).getByRole("heading", { level: 1, name: "Bob Likes" }).waitFor();
  await expect.poll(() => shown(ada.page).getByRole("region", { name: "Profile" }).textContent()).toMatch(/1 following/);
  await expect.poll(() => numbers.textContent()).toMatch(/1 follower1 post/);

  const console = await open(browser, `${system.addresses.webURL}/console/#author=${ada.uid}`);
  const table = console.getByRole("region", { name: "Notifications" }).getByRole("table");
  await expect.poll(async () => (await table.getByRole("rowheader").allTextContents()).map((id) => id.split(".")[0])).toEqual(["follow", "comment"]);
  await console.getByText("1 follower, 1 post").waitFor();

  await write({ [`users/${ada.uid}/blocked/${bob.uid}`]: { createdAt: new Date() } }, owner);
  await button(bob.page, "Like, 0 likes").click();
  await bob.page.getByText("Not liked. This is not allowed.").waitFor();
  await button(bob.page, "Like, 0 likes").and(bob.page.locator("[aria-pressed=false]")).waitFor();
  expect([...ada.page.errors, ...bob.page.errors, ...console.errors]).toEqual([]);
});

test("a private account: a request stays in the badge until it is answered, and only then are the posts read", async ({ browser }) => {
  const [ada, bob] = await Promise.all([notified(browser, "Ada Asked"), join(browser, "Bob Asks")]);
  await post(ada, "For followers alone.");
  await visit(ada.page, "Profile");
  await shown(ada.page).getByRole("link", { name: "Settings" }).click();
  // The switch stays where it was put while numbers arrive.
  const box = shown(ada.page).getByLabel("Private account");
  const states = await box.evaluateHandle((node: HTMLInputElement) => {
    const seen = [node.checked];
    const look = () => {
      if (seen.at(-1) !== node.checked) seen.push(node.checked);
      requestAnimationFrame(look);
    };
    look();
    return seen;
  });
  let counting = true;
  const count = async () => {
    for (let n = 1; counting; n++) await setDoc(doc(owner, `users/${ada.uid}`), { counts: { followers: n } }, { merge: true });
  };
  const counts = Promise.all([count(), count(), count()]);
  await box.click();
  await ada.page.getByText("Private: new followers").waitFor();
  counting = false;
  await counts;
  expect(await states.jsonValue()).toEqual([false, true]);

  await bob.page.goto(`/#/u/${ada.uid}`);
  await shown(bob.page).getByText("This account is private").waitFor();
  await button(bob.page, "Request to follow Ada Asked").click();
  await button(bob.page, "Requested Ada Asked: withdraw").waitFor();
  await toLookAt(ada, "1 to look at").waitFor();
  await visit(ada.page, "Notifications");
  await rows(ada).locator(".new", { hasText: "Bob Asks asks to follow you" }).waitFor();
  await visit(ada.page, "Feed");
  await visit(ada.page, "Notifications");
  await expect.poll(() => sentences(ada)).toEqual(["Bob Asks asks to follow you"]); // it has been seen
  await toLookAt(ada, "1 to look at").waitFor();
  const requests = shown(ada.page).getByRole("list", { name: "Requests to follow you" });
  await requests.getByRole("button", { name: "Accept Bob Asks" }).click();
  await requests.waitFor({ state: "hidden" });
  await toLookAt(ada, "to look at").waitFor({ state: "hidden" });
  await idle(system.addresses);
  await reloadUntil(bob.page, button(bob.page, "Following Ada Asked: unfollow"));
  await shown(bob.page).getByText("For followers alone.").waitFor();
  await visit(bob.page, "Feed");
  await inFeed(bob, "For followers alone.").waitFor();

  // To leave it asks, and so does to open it: neither is undone alone.
  await bob.page.goBack();
  await button(bob.page, "Following Ada Asked: unfollow").click();
  await answer(bob.page, "Unfollow");
  await shown(bob.page).getByText("This account is private").waitFor();
  await ada.page.goto("/#/settings");
  await box.click();
  await answer(ada.page, "Cancel");
  expect(await box.isChecked()).toBe(true);
  await box.click();
  await answer(ada.page, "Open account");
  await ada.page.getByText("Open: everyone sees your posts.").waitFor();
  await shown(bob.page).getByText("For followers alone.").waitFor();
  expect([...ada.page.errors, ...bob.page.errors]).toEqual([]);
});

test("several reposts of a post are one entry, with the post as it is, or a word that it is not here", async ({ browser }) => {
  const me = await join(browser, "Repost Reader");
  const { page, uid } = me;
  const [author, one, two, three] = ["author", "one", "two", "three"].map((name) => `${name}-${uid}`) as [string, string, string, string];
  const by = (userId: string, minutes: number, more: object) => ({
    userId,
    audience: userId,
    hidden: false,
    createdAt: new Date(Date.now() - minutes * 60_000),
    ...more,
  });
  const repost = (id: string, minutes: number) => ({ [`posts/${id}.${author}`]: by(id, minutes, { text: "", kind: "repost", repostOf: author }) });
  const names = { [author]: "Ann Author", [one]: "Una One", [two]: "Tess Two", [three]: "Theo Three" };
  await write(Object.fromEntries(Object.entries(names).map(([id, name]) => [`users/${id}`, profile(name)])), owner);
  await write(Object.fromEntries([one, two, three].map((id) => [`users/${id}/followers/${uid}`, { createdAt: new Date(1000) }])), owner);
  await idle(system.addresses);
  await write({ [`posts/${author}`]: by(author, 60, { text: "Worth repeating." }) }, owner);
  await write({ ...repost(one, 30), ...repost(two, 10), [`posts/${three}`]: by(three, 20, { text: "Between." }) }, owner);
  const texts = () => shown(page).locator("ul.list .post-text").allTextContents();
  await shown(page).getByText("Tess Two and Una One reposted").waitFor();
  await expect.poll(texts).toEqual(["Worth repeating.", "Between."]);
  await write(repost(three, 5), owner);
  await shown(page).getByText("Theo Three, Tess Two and 1 other reposted").waitFor();
  await expect.poll(texts).toEqual(["Worth repeating.", "Between."]);

  // Mine is one, too; the post has the likes.
  const entry = shown(page).locator("ul.list .item").first();
  await entry.getByRole("button", { name: "Repost" }).click();
  await page.getByRole("status").getByText("Reposted.").waitFor();
  await entry.getByRole("button", { name: "Like, 0 likes" }).click();
  await entry.getByRole("button", { name: "Like, 1 like", exact: true, pressed: true }).waitFor();
  await visit(page, "Profile");
  await shown(page).getByText("You reposted").waitFor();
  await shown(page).getByRole("button", { name: "Repost", pressed: true }).waitFor();
  await button(page, "Take the repost back").click();
  await shown(page).getByText("Nothing written yet").waitFor();
  await visit(page, "Feed");
  await deleteDoc(doc(owner, `posts/${author}`));
  await entry.getByText("This post is not here").waitFor();
  expect(page.errors).toEqual([]);
});
