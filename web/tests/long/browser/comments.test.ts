import { expect } from "vitest";

import { idle, write } from "../../firestore.ts";
import { inFeed, openProfile, post, signUp, tabTo, test, visit } from "../../browser/browser.ts";

test("a post of a kind, and a comment on it, by keyboard: both show to others, and the comment goes", async ({ browser }) => {
  const [ada, bob] = await Promise.all([signUp(browser, "Ada Asks"), signUp(browser, "Bob Answers")]);
  await openProfile(bob, ada);
  await bob.page.getByRole("button", { name: "Follow Ada Asks" }).click();
  await bob.page.getByRole("button", { name: "Following Ada Asks: unfollow" }).waitFor();
  await idle();
  await visit(bob.page, "Feed");

  await tabTo(ada.page, "Write a post");
  await ada.page.keyboard.type("Who has a ladder?");
  await tabTo(ada.page, "Add people");
  await ada.page.keyboard.press("Enter");
  await tabTo(ada.page, "Kind of post");
  await ada.page.keyboard.press("End");
  await ada.page.waitForFunction(() => (document.activeElement as HTMLSelectElement).value === "question");
  await ada.page.keyboard.press("Control+Enter");
  const asked = inFeed(bob, "Who has a ladder?");
  await asked.getByText("question", { exact: true }).waitFor();
  await expect.poll(() => ada.page.getByLabel("Kind of post").inputValue()).toBe("");

  const { page } = bob;
  await tabTo(page, "Comments");
  await page.keyboard.press("Enter");
  await asked.getByText("No comments yet.").waitFor();
  await tabTo(page, "Write a comment");
  await page.keyboard.type("I have one.");
  await page.keyboard.press("Control+Enter");
  const comments = asked.getByRole("list", { name: "Comments" });
  await comments.locator("time").waitFor();
  await comments.getByRole("link", { name: "Bob Answers" }).waitFor();

  const mine = ada.page.getByRole("list", { name: "What you have just written" });
  await mine.getByRole("button", { name: "Comments" }).click();
  await mine.getByText("I have one.").waitFor();
  await mine.getByLabel("Write a comment").fill("x".repeat(2001));
  await mine.getByText("1 too many").waitFor();
  await mine.getByLabel("Write a comment").fill("On Sunday?");
  await mine.getByRole("button", { name: "Comment", exact: true }).click();
  await comments.getByText("On Sunday?").waitFor(); // live, and the newest last
  await expect.poll(() => comments.locator(".post-text").allTextContents()).toEqual(["I have one.", "On Sunday?"]);
  await expect.poll(() => comments.getByRole("button", { name: /^Delete/ }).count()).toBe(1); // only one's own

  await tabTo(page, "Delete the comment by Bob Answers", "Shift+Tab");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  await expect.poll(() => comments.locator(".post-text").allTextContents()).toEqual(["On Sunday?"]);

  // Escape closes what has no text in it, and gives the focus back.
  await tabTo(page, "Write a comment");
  await page.keyboard.type("Half a sentence");
  await page.keyboard.press("Escape");
  await expect.poll(() => asked.getByLabel("Write a comment").inputValue()).toBe("Half a sentence");
  await page.keyboard.press("Control+A");
  await page.keyboard.press("Delete");
  await page.keyboard.press("Escape");
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Comments");
  await expect.poll(() => asked.getByLabel("Write a comment").count()).toBe(0);
  expect([...ada.page.errors, ...bob.page.errors]).toEqual([]);
});

test("a rejected comment returns to the form, with the reason", async ({ browser }) => {
  const [ada, bob] = await Promise.all([signUp(browser, "Ada Refuses"), signUp(browser, "Bob Refused")]);
  await post(ada, "Not for everybody.");
  await bob.page.goto(`/#/u/${ada.uid}`);
  await bob.page.getByRole("button", { name: "Comments" }).click();
  await bob.page.getByText("No comments yet.").waitFor();
  await write({ [`users/${ada.uid}/blocked/${bob.uid}`]: { createdAt: new Date() } });
  await bob.page.getByLabel("Write a comment").fill("All the same.");
  await bob.page.getByRole("button", { name: "Comment", exact: true }).click();
  await bob.page.getByText("Not sent. This is not allowed.").waitFor();
  await expect.poll(() => bob.page.getByLabel("Write a comment").inputValue()).toBe("All the same.");
  await bob.page.getByText("No comments yet.").waitFor();
  expect(bob.page.errors).toEqual([]);
});

test("earlier comments show on request, the oldest at the top, and a deleted one goes from there too", async ({ browser }) => {
  const { page, uid } = await signUp(browser, "Ada Talks");
  const at = new Date();
  await write({ [`posts/long-${uid}`]: { userId: uid, audience: uid, hidden: false, createdAt: at, text: "Much talk." } });
  await write(
    Object.fromEntries(
      Array.from({ length: 25 }, (_, n) => [
        `posts/long-${uid}/comments/c${n}`,
        { userId: uid, thread: `${uid}/${uid}`, text: `Comment ${n}`, createdAt: new Date(at.getTime() + n * 1000) },
      ]),
    ),
  );
  await page.goto(`/#/p/long-${uid}`);
  const texts = () => page.getByRole("list", { name: "Comments" }).locator(".post-text").allTextContents();
  const from = (first: number) => Array.from({ length: 25 - first }, (_, n) => `Comment ${first + n}`);
  await expect.poll(texts).toEqual(from(5));
  const earlier = page.getByRole("button", { name: "Show earlier comments" });
  await earlier.click();
  await expect.poll(texts).toEqual(from(0));
  await expect.poll(() => earlier.count()).toBe(0);
  const oldest = page.getByRole("list", { name: "Comments" }).getByRole("listitem").first();
  await oldest.getByRole("button", { name: /^Delete/ }).click();
  await oldest.getByRole("button", { name: "Delete", exact: true }).click();
  await expect.poll(texts).toEqual(from(1));
  expect(page.errors).toEqual([]);
});
