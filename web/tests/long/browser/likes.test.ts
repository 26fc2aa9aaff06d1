// Likes, numbers and notifications: two people, two browsers, and functions that keep both.
import { doc, getDoc } from "firebase/firestore";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";

import { type Addresses, start } from "../../system.ts";
import { client, idle, write } from "../../firestore.ts";
import { named, open, overflow, type Person, post, reloadUntil, signUp, tabTo, test, violations, visit } from "../../browser/browser.ts";

let system: { addresses: Addresses; stop: () => Promise<void> };
beforeAll(async () => void (system = await start({ RELATIONINDEX_COUNTS: "true", RELATIONINDEX_NOTIFICATIONS: "true" })));
afterAll(() => system.stop());

const join = (browser: Browser, name: string, options = {}) => signUp(browser, name, { baseURL: system.addresses.webURL, ...options });

/** Goes to somebody's page by its address. */
const profileOf = ({ page }: Person, { uid }: Person) => page.goto(`/#/u/${uid}`);

const notificationsOf = ({ page }: Person) => page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Notifications" });
const rows = ({ page }: Person) => page.getByRole("list", { name: "Notifications" }).getByRole("listitem");

/** newAfterReload returns how many notifications are marked new when the page is opened again. A busy emulator may answer a page with a state of before. */
async function newAfterReload(one: Person): Promise<number> {
  await one.page.reload();
  await rows(one).first().waitFor();
  return one.page.getByText("New", { exact: true }).filter({ visible: true }).count();
}

test("a like and a comment: the numbers and the badge change, the badge goes when they are seen, and the like when it is taken back", async ({ browser }) => {
  const [ada, bob] = await Promise.all([join(browser, "Ada Liked"), join(browser, "Bob Likes")]);
  await post(ada, "Who has a ladder?");
  await idle(system.addresses);
  await profileOf(bob, ada);
  const numbers = bob.page.getByRole("region", { name: "Profile" });
  await numbers.getByText("1 post", { exact: true }).waitFor();
  await numbers.getByText("0 followers", { exact: true }).waitFor();

  // By keyboard. One's own like shows at once, and stays what the functions count.
  await tabTo(bob.page, "Like, 0 likes");
  await bob.page.keyboard.press("Enter");
  const liked = bob.page.getByRole("button", { name: "Like, 1 like", exact: true, pressed: true });
  await liked.waitFor();
  await bob.page.getByRole("button", { name: "Comments" }).click();
  await bob.page.getByLabel("Write a comment").fill("I have one.");
  await bob.page.getByRole("button", { name: "Comment", exact: true }).click();
  await bob.page.getByRole("button", { name: "Comments 1" }).waitFor();

  // Ada has done nothing.
  await ada.page.getByRole("button", { name: "Like, 1 like", exact: true, pressed: false }).waitFor();
  await ada.page.getByRole("button", { name: "Comments 1" }).waitFor();
  await notificationsOf(ada).getByText("2 to look at").waitFor();

  await visit(ada.page, "Notifications");
  await expect
    .poll(() => rows(ada).allTextContents())
    .toEqual([expect.stringMatching(/^Bob Likes commented on your post.*New/), expect.stringMatching(/^Bob Likes liked your post.*New/)]);
  await notificationsOf(ada).getByText("to look at").waitFor({ state: "hidden" });
  const owner = client("owner", system.addresses.project, system.addresses);
  await expect.poll(async () => (await getDoc(doc(owner, `users/${ada.uid}/settings/read`))).get("notifiedAt")).toBeDefined(); // the server's, which the reload reads
  await expect.poll(() => newAfterReload(ada)).toBe(0);
  await notificationsOf(ada).getByText("to look at").waitFor({ state: "hidden" });

  await rows(ada).getByRole("link", { name: "liked your post" }).click();
  await ada.page.getByRole("article").filter({ hasText: "Who has a ladder?" }).waitFor();
  await bob.page.reload(); // the page asks what is liked
  await liked.click();
  await bob.page.getByRole("button", { name: "Like, 0 likes", pressed: false }).waitFor();
  await ada.page.getByRole("button", { name: "Like, 0 likes", pressed: false }).waitFor();
  await visit(ada.page, "Notifications");
  await expect.poll(() => rows(ada).allTextContents()).toEqual([expect.stringMatching(/^Bob Likes commented on your post/)]);

  await bob.page.getByRole("button", { name: "Follow Ada Liked" }).click();
  await rows(ada).filter({ hasText: "New" }).getByRole("link", { name: "follows you" }).waitFor(); // what the open page shows is seen
  await notificationsOf(ada).getByText("to look at").waitFor({ state: "hidden" });
  await rows(ada).getByRole("link", { name: "follows you" }).click();
  await ada.page.getByRole("button", { name: "Remove Bob Likes" }).waitFor();
  await numbers.getByText("1 follower", { exact: true }).waitFor();
  await visit(bob.page, "Profile");
  await bob.page.getByRole("main").getByText("1 following").waitFor();
  expect([...ada.page.errors, ...bob.page.errors]).toEqual([]);
});

test("a follow request stays in the badge until it is answered on the notifications page", async ({ browser }) => {
  const [ada, bob] = await Promise.all([join(browser, "Ada Asked"), join(browser, "Bob Asks")]);
  await visit(ada.page, "Profile");
  await ada.page.getByLabel("Private account").check();
  await ada.page.getByText("Private: new followers").waitFor();
  await profileOf(bob, ada);
  await bob.page.getByRole("button", { name: "Request to follow Ada Asked" }).click();
  await notificationsOf(ada).getByText("1 to look at").waitFor();
  await visit(ada.page, "Notifications");
  const requests = ada.page.getByRole("list", { name: "Requests to follow you" });
  await requests.getByRole("link", { name: "Bob Asks" }).waitFor();
  await rows(ada).filter({ hasText: "New" }).getByRole("link", { name: "asks to follow you" }).waitFor();
  await expect.poll(() => newAfterReload(ada)).toBe(0); // it has been seen
  await notificationsOf(ada).getByText("1 to look at").waitFor();
  await requests.getByRole("button", { name: "Accept Bob Asks" }).click();
  await requests.waitFor({ state: "hidden" });
  await notificationsOf(ada).getByText("to look at").waitFor({ state: "hidden" });
  await idle(system.addresses);
  await reloadUntil(bob.page, bob.page.getByRole("button", { name: "Following Ada Asked: unfollow" }));
  expect([...ada.page.errors, ...bob.page.errors]).toEqual([]);
});

test("a rejected like is undone with a message; a deleted post is not found", async ({ browser }) => {
  const [ada, bob] = await Promise.all([join(browser, "Ada Unliked"), join(browser, "Bob Blocked")]);
  await post(ada, "Not for everybody.");
  await profileOf(bob, ada);
  const like = bob.page.getByRole("button", { name: /^Like, 0/ });
  await like.waitFor();
  await write({ [`users/${ada.uid}/blocked/${bob.uid}`]: { createdAt: new Date() } }, client("owner", system.addresses.project, system.addresses));
  await like.click();
  await bob.page.getByText("Not liked. This is not allowed.").waitFor();
  await bob.page.getByRole("button", { name: "Like, 0 likes", pressed: false }).waitFor();
  await bob.page.goto("/#/p/none");
  await bob.page.getByText("This post is not here").waitFor();
  expect(bob.page.errors).toEqual([]);
});

test("notifications on a small phone: empty, and with some, in axe's eyes; the console shows them, and the numbers", async ({ browser }) => {
  const [eve, fay] = await Promise.all([join(browser, "Eve Small", { viewport: { width: 360, height: 740 } }), join(browser, "Fay Friend")]);
  await visit(eve.page, "Notifications");
  await eve.page.getByText("Nothing new yet").waitFor();
  expect([...(await violations(eve.page)), await overflow(eve.page)]).toEqual([0]);

  await visit(eve.page, "Feed");
  await post(eve, "Small things.");
  await profileOf(fay, eve);
  await fay.page.getByRole("button", { name: "Follow Eve Small" }).click();
  await fay.page.getByRole("button", { name: /^Like, 0/ }).click();
  await notificationsOf(eve).getByText("2 to look at").waitFor();
  expect([...(await violations(eve.page)), await overflow(eve.page)]).toEqual([0]);
  await visit(eve.page, "Notifications");
  await rows(eve).nth(1).waitFor();
  await named(eve.page);
  await notificationsOf(eve).getByText("to look at").waitFor({ state: "hidden" });
  expect([...(await violations(eve.page)), await overflow(eve.page)]).toEqual([0]);

  const console = await open(browser, `/console/#author=${eve.uid}`, { baseURL: system.addresses.webURL });
  const table = console.getByRole("region", { name: "Notifications" }).getByRole("table");
  await table.getByRole("row").nth(2).waitFor();
  expect((await table.getByRole("rowheader").allTextContents()).map((id) => id.split(".")[0]).toSorted()).toEqual(["follow", "like"]);
  await table.getByText("Fay Friend").first().waitFor();
  await console.getByText("1 follower, 1 post").waitFor();
  await console.getByRole("navigation", { name: "Posts" }).getByText("1 like").waitFor();
  expect([...(await violations(console)), ...console.errors, ...eve.page.errors]).toEqual([]);
});
