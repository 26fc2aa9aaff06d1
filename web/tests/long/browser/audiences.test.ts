import { expect } from "vitest";

import { has, idle } from "../../firestore.ts";
import { inFeed, makeModerator, open, openProfile, post, signIn, signUp, test, visit } from "../../browser/browser.ts";

test("a request is withdrawn, made again, and declined", async ({ browser }) => {
  const [ada, bob] = await Promise.all([signUp(browser, "Ada Declines"), signUp(browser, "Bob Declined")]);
  await visit(ada.page, "Profile");
  await ada.page.getByLabel("Private account").check();
  await ada.page.getByText("Private: new followers").waitFor();
  await ada.page.goto("/#/people/requests");
  await ada.page.getByText("Nobody asks to follow you").waitFor();

  await bob.page.goto(`/#/u/${ada.uid}`);
  await bob.page.getByText("This account is private").waitFor(); // stale: firestore.ts
  await bob.page.getByRole("button", { name: "Request to follow Ada Declines" }).click();
  await ada.page.getByRole("button", { name: "Accept Bob Declined" }).waitFor();
  await bob.page.getByRole("button", { name: "Requested Ada Declines: withdraw" }).click();
  await ada.page.getByText("Nobody asks to follow you").waitFor();

  await bob.page.getByRole("button", { name: "Request to follow Ada Declines" }).click();
  await ada.page.getByRole("button", { name: "Decline Bob Declined" }).click();
  await ada.page.getByText("Nobody asks to follow you").waitFor();
  await bob.page.getByRole("button", { name: "Request to follow Ada Declines" }).waitFor();
  expect(await has(`users/${ada.uid}/followers/${bob.uid}`)).toBe(false);
  expect([...ada.page.errors, ...bob.page.errors]).toEqual([]);
});

test("a moderator hides a post, and brings it back", async ({ browser }) => {
  const [ada, bob, mod] = await Promise.all([signUp(browser, "Ada Hidden"), signUp(browser, "Bob Hidden"), signUp(browser, "Moderator")]);
  await makeModerator(mod.uid);
  await openProfile(bob, ada);
  await bob.page.getByRole("button", { name: "Follow Ada Hidden" }).click();
  await bob.page.getByRole("button", { name: "Following Ada Hidden: unfollow" }).waitFor();
  await post(ada, "To be hidden.");
  await visit(bob.page, "Feed");
  await inFeed(bob, "To be hidden.").waitFor();
  expect(await bob.page.getByRole("button", { name: "Take down" }).count()).toBe(0);

  const page = await open(browser); // the claim counts from this sign-in on
  await signIn(page, mod.email);
  await page.getByRole("heading", { level: 1, name: "Feed" }).waitFor();
  await page.goto(`/#/u/${ada.uid}`);
  const hidden = page.getByRole("article").filter({ hasText: "To be hidden." });
  await hidden.getByRole("button", { name: "Take down" }).click();
  await hidden.getByText("Taken down", { exact: true }).waitFor();
  await bob.page.getByText("Your feed is empty").waitFor();
  await visit(ada.page, "Profile"); // its author still sees it
  await ada.page.getByRole("article").filter({ hasText: "To be hidden." }).getByText("Taken down", { exact: true }).waitFor();

  await hidden.getByRole("button", { name: "Show again" }).click();
  await idle();
  await inFeed(bob, "To be hidden.").waitFor();
  expect([...ada.page.errors, ...bob.page.errors, ...page.errors]).toEqual([]);
});

test("a ref page has posts of people the reader does not follow", async ({ browser }) => {
  const [ada, bob] = await Promise.all([signUp(browser, "Ada Slice"), signUp(browser, "Bob Slice")]);
  const tag = `#frost${Date.now()}`;
  await post(ada, `On the allotment: ${tag}.`);
  const about = (text: string) => bob.page.getByRole("list", { name: "Posts about it" }).getByRole("article").filter({ hasText: text });
  await bob.page.goto(`/#/about/${encodeURIComponent(tag)}`);
  await about("On the allotment").getByRole("link", { name: tag }).waitFor();
  await bob.page.getByLabel("Write a post").fill("Here too."); // the page says what it is about
  await bob.page.getByRole("button", { name: "Post", exact: true }).click();
  await about("Here too.").waitFor();
  expect(await bob.page.getByRole("heading", { level: 1, name: tag }).count()).toBe(1);

  await ada.page.getByRole("link", { name: tag }).click();
  await ada.page.getByText("Here too.").waitFor();
  expect([...ada.page.errors, ...bob.page.errors]).toEqual([]);
});
