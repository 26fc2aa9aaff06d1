// Readers change their timeline by keyboard: hide, filter, mark as read; and comments, which lift posts.
import { doc, getDoc, Timestamp, updateDoc } from "firebase/firestore";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";

import { profile } from "../../firestore.ts";
import { startTimelines, type Timelines } from "../../timelines.ts";
import { focused, inFeed, named, overflow, type Person, signUp, tabTo, test, texts, violations } from "../../browser/browser.ts";

let system: Timelines;
beforeAll(async () => void (system = await startTimelines("items", { RELATIONINDEX_SETTINGS: "true", RELATIONINDEX_RANKED: "true" })));
afterAll(() => system.stop());

let authors = 0;
let minutes = 0;

/** An author of a test's own, whom people follow. */
async function author(...followers: Person[]): Promise<string> {
  const id = `author-${++authors}`;
  const name = `Author ${authors}`;
  await system.write({ [`users/${id}`]: profile(name) });
  await follow(id, ...followers);
  return id;
}

async function follow(id: string, ...followers: Person[]): Promise<void> {
  await system.write(Object.fromEntries(followers.map(({ uid }) => [`users/${id}/followers/${uid}`, { createdAt: Timestamp.fromMillis(1000) }])));
  await system.idle();
}

/** Publishes a post, newer than the last one, and returns its id when readers have it. */
async function publish(userId: string, text: string, kind?: string): Promise<string> {
  const id = `${userId}-${++minutes}`;
  const createdAt = Timestamp.fromMillis(Date.UTC(2026, 0, 1) + minutes * 60_000);
  await system.write({ [`posts/${id}`]: { userId, audience: userId, hidden: false, createdAt, text, ...(kind && { kind }) } });
  await system.idle();
  return id;
}

/** Somebody who reads their timeline. */
async function reader(browser: Browser, name: string): Promise<Person> {
  const me = await signUp(browser, name, { baseURL: system.at.webURL });
  await me.page.getByRole("button", { name: "Filters" }).waitFor();
  return me;
}

const fields = async (path: string) => (await getDoc(doc(system.db, path))).data();
const settings = ({ uid }: Person) => fields(`users/${uid}/settings/feed`);

/** Presses Enter on what has this name. */
async function press(me: Person, name: string | RegExp, key?: string): Promise<void> {
  await tabTo(me.page, name, key);
  await me.page.keyboard.press("Enter");
}

test("a post is hidden and brought back: at once, after a reload, and from the panel", async ({ browser }) => {
  const me = await reader(browser, "Hiding Reader");
  const { page, uid } = me;
  const ada = await author(me);
  await publish(ada, "One.");
  const two = await publish(ada, "Two.");
  await expect.poll(() => texts(me)).toEqual(["Two.", "One."]);
  await named(page);

  await press(me, "Hide…");
  await press(me, "Hide this post");
  expect(await focused(page)).toBe("Show again");
  expect(await texts(me)).toEqual(["One."]);
  await expect.poll(() => fields(`users/${uid}/timeline/${two}`)).toHaveProperty("hidden", true);
  expect(Object.keys((await fields(`users/${uid}/hidden/${two}`)) ?? {})).toEqual(["createdAt"]);

  await page.keyboard.press("Enter");
  expect(await focused(page)).toBe("Hide…");
  expect(await texts(me)).toEqual(["Two.", "One."]);
  await expect.poll(() => fields(`users/${uid}/timeline/${two}`)).not.toHaveProperty("hidden");
  expect(await fields(`users/${uid}/hidden/${two}`)).toBeUndefined();

  await press(me, "Hide…");
  await press(me, "Hide this post");
  await expect.poll(() => fields(`users/${uid}/timeline/${two}`)).toHaveProperty("hidden", true);
  await page.reload();
  await expect.poll(() => texts(me)).toEqual(["One."]);
  await expect.poll(() => page.getByRole("button", { name: "Show again", exact: true }).count()).toBe(0);
  await press(me, "Filters");
  await press(me, "Show again: Two.");
  await expect.poll(() => texts(me)).toEqual(["Two.", "One."]);
  expect(page.errors).toEqual([]);
});

test("kinds and authors are hidden, and taken back", async ({ browser }) => {
  const me = await reader(browser, "Filtering Reader");
  const { page } = me;
  const ada = await author(me);
  const bob = await author(me);
  await publish(bob, "A photo by Bob.", "photo");
  await publish(ada, "Words.");
  await publish(ada, "A photo.", "photo");
  await expect.poll(() => texts(me)).toEqual(["A photo.", "Words.", "A photo by Bob."]);
  await named(page);

  await press(me, "Hide…");
  await page.context().setOffline(true); // what the page shows at once is its own doing
  await press(me, "Hide every photo");
  await expect.poll(() => texts(me)).toEqual(["Words."]);
  await page.context().setOffline(false);
  expect(await page.evaluate(() => document.activeElement !== document.body)).toBe(true);
  await expect.poll(() => settings(me)).toMatchObject({ hide: ["*/photo"], show: [] });
  await system.idle();
  await publish(bob, "Another photo.", "photo");
  await publish(bob, "A question?", "question");
  await expect.poll(() => texts(me)).toEqual(["A question?", "Words."]);

  // Everything by Bob goes; the panel has both, and takes them back one after the other.
  await page.getByRole("heading", { level: 1 }).focus();
  await press(me, "Hide…"); // of the first post
  await press(me, /^Hide everything by Author/);
  await expect.poll(() => texts(me)).toEqual(["Words."]);
  await tabTo(page, "Filters", "Shift+Tab");
  await page.keyboard.press("Enter");
  await page
    .getByRole("list", { name: "Filters" })
    .getByText(/^Hidden: everything by Author/)
    .waitFor();
  await press(me, "Show again: Hidden: every photo");
  await expect.poll(() => texts(me)).toEqual(["A photo.", "Words."]); // of Ada, by a rebuild
  await press(me, /^Show again: Hidden: everything by Author/);
  await expect.poll(() => texts(me)).toEqual(["A question?", "Another photo.", "A photo.", "Words.", "A photo by Bob."]);
  await page.getByText("No filters yet.").waitFor();
  expect(await settings(me)).toMatchObject({ hide: [], show: [] });

  // Photos by one author alone.
  await press(me, "Hide…");
  await page.keyboard.press("Escape");
  expect(await focused(page)).toBe("Hide…");
  const photo = inFeed(me, "A photo.");
  await photo.getByRole("button", { name: "Hide…" }).focus();
  await page.keyboard.press("Enter");
  await press(me, /^Always show every photo by Author/);
  await expect.poll(() => settings(me)).toMatchObject({ show: [`${ada}/photo`] });
  await photo.getByRole("button", { name: "Hide…" }).focus();
  await page.keyboard.press("Enter");
  await press(me, "Hide every photo");
  await expect.poll(() => texts(me)).toEqual(["A question?", "A photo.", "Words."]);
  expect(page.errors).toEqual([]);
});

test("new posts are counted above a line until marked as read; a visit is written once an hour", async ({ browser }) => {
  const me = await reader(browser, "Unread Reader");
  const { page } = me;
  const ada = await author(me);
  for (const text of ["One.", "Two.", "Three."]) await publish(ada, text);
  await page.getByText("3 new", { exact: true }).waitFor();
  await expect.poll(() => page.getByRole("separator").count()).toBe(0); // nothing is old
  const { seenAt } = (await settings(me)) ?? {};
  expect(seenAt).toBeInstanceOf(Timestamp);

  await press(me, "Mark as read");
  await page.getByText("3 new", { exact: true }).waitFor({ state: "hidden" });
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("H1");
  await expect.poll(() => fields(`users/${me.uid}/settings/read`)).toEqual({ readAt: Timestamp.fromMillis(Date.UTC(2026, 0, 1) + minutes * 60_000) });

  await publish(ada, "Four.");
  await page.getByText("1 new", { exact: true }).waitFor();
  const line = page.getByRole("listitem").filter({ has: page.getByRole("separator", { name: "New posts are above" }) });
  await line.getByText("Three.").waitFor();
  await page.reload();
  await page.getByText("1 new", { exact: true }).waitFor();
  await line.getByText("Three.").waitFor();
  expect((await settings(me))?.["seenAt"]).toEqual(seenAt); // the rules would have refused it
  const long = Timestamp.fromMillis(Date.now() - 3_700_000);
  await updateDoc(doc(system.db, `users/${me.uid}/settings/feed`), { seenAt: long });
  await page.reload();
  await expect.poll(async () => (await settings(me))?.["seenAt"].toMillis()).toBeGreaterThan(long.toMillis());

  for (let n = 0; n < 20; n++) await publish(ada, `More ${n}.`);
  await page.getByText("20+ new", { exact: true }).waitFor();
  expect(page.errors).toEqual([]);
});

test("a comment lifts its post for those who follow the commenter, and takes neither focus nor text away", async ({ browser }) => {
  const [me, carla] = [await reader(browser, "Lifted Reader"), await reader(browser, "Carla Lifts")];
  const ada = await author(me, carla);
  await follow(carla.uid, me);
  await publish(ada, "One.");
  await publish(ada, "Two.");
  await expect.poll(() => texts(me)).toEqual(["Two.", "One."]);
  await named(me.page);

  await inFeed(me, "One.").getByRole("button", { name: "Comments" }).focus();
  await me.page.keyboard.press("Enter");
  await inFeed(me, "One.").getByText("No comments yet.").waitFor();
  await tabTo(me.page, "Write a comment");
  await me.page.keyboard.type("Half a ");

  await inFeed(carla, "One.").getByRole("button", { name: "Comments" }).focus();
  await carla.page.keyboard.press("Enter");
  await inFeed(carla, "One.").getByText("No comments yet.").waitFor();
  await tabTo(carla.page, "Write a comment");
  await carla.page.keyboard.type("Worth reading.");
  await carla.page.keyboard.press("Control+Enter");

  await expect.poll(() => texts(me)).toEqual(["One.", "Two."]);
  expect(await texts(carla)).toEqual(["Two.", "One."]); // nobody follows themselves
  await inFeed(me, "One.").getByText("Worth reading.").waitFor();
  await me.page.keyboard.type("sentence.");
  await expect.poll(() => inFeed(me, "One.").getByLabel("Write a comment").inputValue()).toBe("Half a sentence.");
  expect([...carla.page.errors, ...me.page.errors]).toEqual([]);
});

test("axe finds nothing serious in any of it, in light or in dark, and nothing is too wide, on a phone and a laptop", async ({ browser }) => {
  const me = await reader(browser, "Looked At");
  const { page } = me;
  const ada = await author(me);
  await publish(ada, "One.", "photo");
  await page.getByText("1 new", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Mark as read" }).click();
  await page.getByText("1 new", { exact: true }).waitFor({ state: "hidden" });
  for (const text of [`Two. ${"And more. ".repeat(20)}`, "Three."]) await publish(ada, text, "k".repeat(100));
  await inFeed(me, "Three.").getByRole("button", { name: "Comments" }).click();
  await inFeed(me, "Three.").getByText("No comments yet.").waitFor();
  await inFeed(me, "Three.").getByLabel("Write a comment").fill("A comment.");
  await page.keyboard.press("Control+Enter");
  await inFeed(me, "Three.").locator(".comment time").waitFor();
  await inFeed(me, "Two.").getByRole("button", { name: "Hide…" }).click();
  await page.getByRole("button", { name: "Hide this post" }).click();
  await inFeed(me, "One.").getByRole("button", { name: "Hide…" }).click();
  await page.getByRole("button", { name: /^Always show every photo by/ }).click();
  await inFeed(me, "Three.").getByRole("button", { name: "Hide…" }).click();
  await page.getByRole("button", { name: "Filters" }).click();
  await page.getByRole("list", { name: "Hidden posts" }).getByText("Two.").waitFor();
  await page.getByRole("separator").waitFor();
  await named(page);
  for (const [width, height] of [
    [360, 740],
    [1280, 800],
  ] as const) {
    await page.setViewportSize({ width, height });
    expect(await violations(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    for (const button of await page.getByRole("main").getByRole("button").all()) {
      const box = await button.boundingBox();
      if (box) expect(box.x + box.width, (await button.textContent()) ?? "").toBeLessThanOrEqual(width); // what is cut off is no overflow
    }
  }
});
