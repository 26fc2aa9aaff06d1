// A reader's timeline, beside functions that read settings: unread posts, hidden ones, filters; and comments, which lift posts.
import { doc, getDoc, Timestamp } from "firebase/firestore";
import { afterAll, beforeAll, expect } from "vitest";

import { profile } from "../../firestore.ts";
import { startTimelines, type Timelines } from "../../timelines.ts";
import { choose, focused, inFeed, named, overflow, shown, signUp, test, texts, violations, visit } from "../../browser/browser.ts";

let system: Timelines;
beforeAll(async () => void (system = await startTimelines("items", { RELATIONINDEX_SETTINGS: "true", RELATIONINDEX_RANKED: "true" })));
afterAll(() => system.stop());

let minutes = 0;

/** Publishes a post, newer than the last one, and returns when readers have it. */
async function publish(userId: string, text: string, kind?: string): Promise<void> {
  const createdAt = Timestamp.fromMillis(Date.UTC(2026, 0, 1) + ++minutes * 60_000);
  await system.write({ [`posts/p-${minutes}`]: { userId, audience: userId, hidden: false, createdAt, text, ...(kind && { kind }) } });
  await system.idle();
}

test("a timeline is read, cleared of posts and kinds, which come back from the settings, and lifted by a comment", async ({ browser }) => {
  const join = (name: string, width: number) => signUp(browser, name, { baseURL: system.at.webURL, viewport: { width, height: 740 } });
  const [me, carla] = await Promise.all([join("Reader", 360), join("Carla Lifts", 1280)]);
  const { page, uid } = me;
  const fields = async (of: string) => (await getDoc(doc(system.db, `users/${uid}/${of}`))).data();
  const long = { createdAt: Timestamp.fromMillis(1000) };
  await system.write({ "users/abe": profile("Abe"), [`users/abe/followers/${uid}`]: long, [`users/abe/followers/${carla.uid}`]: long });
  await system.write({ [`users/${carla.uid}/followers/${uid}`]: long });
  await system.idle();

  // New posts are counted above a line, until they are marked as read.
  for (const text of ["One.", "Two."]) await publish("abe", text);
  await shown(page).getByText("2 new", { exact: true }).waitFor();
  expect(await shown(page).getByRole("separator").count()).toBe(0); // nothing is old
  await page.getByRole("button", { name: "Mark as read" }).click();
  await shown(page).getByText("2 new", { exact: true }).waitFor({ state: "hidden" });
  expect(await focused(page)).toBe("Feed");
  await expect.poll(() => fields("settings/read")).toEqual({ readAt: Timestamp.fromMillis(Date.UTC(2026, 0, 1) + minutes * 60_000) });
  await publish("abe", "A photo.", "photo");
  await publish("abe", "Three.", "k".repeat(100));
  await page.reload();
  await shown(page).getByText("2 new", { exact: true }).waitFor();
  const line = page.getByRole("separator", { name: "New posts are above" });
  await shown(page).getByRole("listitem").filter({ has: line }).getByText("Two.").waitFor();

  // A post is hidden, and shown again; the focus goes with it.
  await choose(inFeed(me, "Two."), "Hide this post");
  await expect.poll(() => focused(page)).toBe("Show again");
  await expect.poll(() => texts(me)).toEqual(["Three.", "A photo.", "One."]);
  await page.keyboard.press("Enter");
  await expect.poll(() => texts(me)).toEqual(["Three.", "A photo.", "Two.", "One."]);
  await choose(inFeed(me, "Two."), "Hide this post");
  await expect.poll(() => fields("timeline/p-2")).toHaveProperty("hidden", true);
  await page.reload();
  await expect.poll(() => texts(me)).toEqual(["Three.", "A photo.", "One."]);

  // A kind is hidden at once, before the server knows; from then on the functions leave it out.
  await page.context().setOffline(true);
  await choose(inFeed(me, "A photo."), "Hide every photo");
  await expect.poll(() => texts(me)).toEqual(["Three.", "One."]);
  await page.context().setOffline(false);
  await expect.poll(() => fields("settings/feed")).toMatchObject({ hide: ["*/photo"], show: [] });
  await system.idle();
  await publish("abe", "Another photo.", "photo");
  await choose(inFeed(me, "One."), "Hide everything by Abe");
  await shown(page).getByText("Your feed is empty").waitFor();

  await page.goto(`${system.at.webURL}#/settings`);
  const filters = shown(page).getByRole("list", { name: "Filters" });
  await expect.poll(() => filters.getByRole("listitem").allTextContents()).toEqual(["Hidden: every photoShow again", "Hidden: everything by AbeShow again"]);
  expect([...(await violations(page)), await overflow(page)]).toEqual([0]);
  await page.getByRole("button", { name: "Show again: Hidden: every photo" }).click();
  await page.getByRole("button", { name: "Show again: Hidden: everything by Abe" }).click();
  await shown(page).getByText("No filters yet.").waitFor();
  await page.getByRole("button", { name: "Show again: Two." }).click();
  await system.idle();
  await visit(page, "Feed");
  await expect.poll(() => texts(me)).toEqual(["Another photo.", "Three.", "A photo.", "Two.", "One."]);

  // A comment lifts a post for those who follow the commenter, and takes neither focus nor text away.
  await inFeed(me, "One.").getByRole("button", { name: "Comments" }).click();
  await page.getByLabel("Write a comment").fill("Half a ");
  await page.evaluate(() => window.scrollTo(0, 0)); // further down, it would wait
  await inFeed(carla, "One.").getByRole("button", { name: "Comments" }).click();
  await carla.page.getByLabel("Write a comment").fill("Worth reading.");
  await carla.page.keyboard.press("Control+Enter");
  await expect.poll(() => texts(me)).toEqual(["One.", "Another photo.", "Three.", "A photo.", "Two."]);
  await inFeed(me, "One.").getByText("Worth reading.").waitFor();
  await page.keyboard.type("sentence.");
  expect(await page.getByLabel("Write a comment").inputValue()).toBe("Half a sentence.");
  expect((await texts(carla))[0]).toBe("Another photo."); // nobody follows themselves
  await named(page);
  expect([...(await violations(page)), await overflow(page)]).toEqual([0]);
  expect([...carla.page.errors, ...page.errors]).toEqual([]);
});
