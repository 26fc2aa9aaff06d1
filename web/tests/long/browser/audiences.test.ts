import { expect } from "vitest";

import { has, idle, write } from "../../firestore.ts";
import { inFeed, makeModerator, open, openProfile, post, reloadUntil, signIn, signUp, tabTo, test, visit } from "../../browser/browser.ts";

test("a private account: a request, accepted, and only then its posts", async ({ browser }) => {
  const [ada, bob] = await Promise.all([signUp(browser, "Ada Private"), signUp(browser, "Bob Private")]);
  await visit(ada.page, "Profile");
  await ada.page.getByLabel("Private account").check();
  await ada.page.getByText("Private: new followers").waitFor();
  await post(ada, "For followers alone.");

  await bob.page.goto(`/#/u/${ada.uid}`);
  await bob.page.getByText("This account is private").waitFor();
  await bob.page.getByRole("button", { name: "Request to follow Ada Private" }).click();
  await bob.page.getByRole("button", { name: "Requested Ada Private: withdraw" }).waitFor();
  await expect.poll(() => bob.page.getByText("For followers alone.").count()).toBe(0);

  await visit(ada.page, "People");
  await ada.page.getByRole("link", { name: "Requests" }).click();
  await ada.page.getByRole("button", { name: "Accept Bob Private" }).click();
  await ada.page.getByText("Nobody asks to follow you").waitFor();

  await idle();
  await reloadUntil(bob.page, bob.page.getByRole("button", { name: "Following Ada Private: unfollow" }));
  await bob.page.getByText("For followers alone.").waitFor();
  await idle();
  await visit(bob.page, "Feed");
  await inFeed(bob, "For followers alone.").waitFor();

  // A request of before goes with the follow: nobody can be made to follow again.
  const request = `users/${ada.uid}/requests/${bob.uid}`;
  await write({ [request]: { followerId: bob.uid, createdAt: new Date() } });
  await bob.page.goto(`/#/u/${ada.uid}`);
  await bob.page.getByRole("button", { name: "Following Ada Private: unfollow" }).click();
  await bob.page.getByRole("button", { name: "Unfollow", exact: true }).click();
  await bob.page.getByRole("button", { name: "Request to follow Ada Private" }).waitFor();
  expect(await has(request)).toBe(false);

  // To open the account asks first. What is said of it goes with the page.
  await visit(ada.page, "Profile");
  const box = ada.page.getByLabel("Private account");
  const audiences = ada.page.getByLabel("Who gets this post").locator("option").first();
  await box.click();
  await ada.page.getByRole("button", { name: "Cancel" }).click();
  expect([await box.isChecked(), await audiences.textContent()]).toEqual([true, "My followers"]);
  await box.click();
  await ada.page.getByRole("button", { name: "Open account" }).click();
  await ada.page.getByText("Open: everyone sees your posts.").waitFor();
  expect([await box.isChecked(), await audiences.textContent()]).toEqual([false, "Followers (public)"]);
  await visit(ada.page, "People");
  expect(await ada.page.locator(".toast").allTextContents()).toEqual([]);
  expect([...ada.page.errors, ...bob.page.errors]).toEqual([]);
});

test("a group: its owner makes it, somebody joins and posts there, and it goes", async ({ browser }) => {
  const [ada, bob] = await Promise.all([signUp(browser, "Ada Group"), signUp(browser, "Bob Group")]);
  await visit(ada.page, "Groups");
  await ada.page.getByText("You are in no group yet").waitFor();
  await ada.page.getByRole("button", { name: "New group" }).click();
  await ada.page.getByLabel("Name of the group").fill("Team Story");
  await ada.page.getByLabel("Who may post").selectOption("Members");
  await ada.page.getByRole("button", { name: "Create group" }).click();
  await ada.page.getByRole("heading", { level: 1, name: "Team Story" }).waitFor();
  await ada.page.getByRole("button", { name: "In my feed Team Story: remove" }).waitFor();

  await bob.page.goto(`/${new URL(ada.page.url()).hash}`);
  await bob.page.getByText("Nothing written yet").waitFor(); // stale: firestore.ts
  await expect.poll(() => bob.page.getByLabel("Write a post").count()).toBe(0); // members post
  await bob.page.getByRole("button", { name: "Join Team Story" }).click();
  await bob.page.getByRole("button", { name: "Joined Team Story: leave" }).waitFor();
  await post(bob, "From a member.");
  await idle();

  await visit(ada.page, "Feed");
  await inFeed(ada, "From a member.").getByText("in Team Story").waitFor();
  await inFeed(ada, "From a member.").getByRole("link", { name: "Team Story" }).click();
  await ada.page.getByRole("link", { name: "Members" }).click();
  await ada.page.getByRole("button", { name: "Remove Bob Group" }).waitFor();

  await ada.page.getByRole("button", { name: "Delete", exact: true }).click();
  await ada.page.getByRole("button", { name: "Delete group" }).click();
  await ada.page.getByText("You own no group yet").waitFor();
  expect(await ada.page.locator(".toast").textContent()).toBe("Team Story is deleted."); // the act itself went there
  await bob.page.getByText("This group is gone").waitFor();
  await idle();
  await visit(ada.page, "Feed");
  await ada.page.getByText("Your feed is empty").waitFor();
  expect([...ada.page.errors, ...bob.page.errors]).toEqual([]);
});

test("a message to one person, by keyboard", async ({ browser }) => {
  const [ada, bob] = await Promise.all([signUp(browser, "Ada Message"), signUp(browser, `Bob Message ${Date.now()}`)]);
  const { page } = ada;
  await tabTo(page, "Write a post");
  await page.keyboard.type("Between us.");
  await page.keyboard.press("Tab");
  await page.keyboard.press("End"); // the last audience of the list
  await page.waitForFunction(() => (document.activeElement as HTMLSelectElement).value === "");
  await page.keyboard.press("Control+Enter");
  await page.getByText("Add somebody who gets it.").waitFor();
  await tabTo(page, "Add people by name");
  await page.keyboard.type(bob.name);
  await page.waitForFunction(
    (name) => [...document.querySelectorAll(".found button")].map((found) => found.getAttribute("aria-label")).join() === `Add ${name}`,
    bob.name,
  );
  await page.keyboard.press("Enter"); // takes the first
  await page.getByRole("button", { name: `Remove ${bob.name}` }).waitFor();
  await page.keyboard.press("Control+Enter");
  const sent = page.getByRole("list", { name: "What you have just written" }).getByRole("article").filter({ hasText: "Between us." });
  await sent.getByText(`only to ${bob.name}`).waitFor();
  await idle();
  await inFeed(bob, "Between us.").getByText("only to").waitFor();
  expect([...ada.page.errors, ...bob.page.errors]).toEqual([]);
});

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
  await reloadUntil(bob.page, bob.page.getByRole("button", { name: "Request to follow Ada Declines" }));
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
  await expect.poll(() => bob.page.getByRole("button", { name: "Take down" }).count()).toBe(0);

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
  await expect.poll(() => bob.page.getByRole("heading", { level: 1, name: tag }).count()).toBe(1);

  await ada.page.getByRole("link", { name: tag }).click();
  await ada.page.getByText("Here too.").waitFor();
  expect([...ada.page.errors, ...bob.page.errors]).toEqual([]);
});
