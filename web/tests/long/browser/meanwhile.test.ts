// What arrives while the user does something takes neither a button, a form, a text nor a choice away.
import { doc, setDoc } from "firebase/firestore";
import { expect } from "vitest";

import { db, follow, idle, register, write } from "../../firestore.ts";
import { inFeed, post, signUp, test, visit } from "../../browser/browser.ts";

test("the switch of a private account stays where it was put while numbers arrive", async ({ browser }) => {
  const { page, uid } = await signUp(browser, "Ada Counted");
  await visit(page, "Profile");
  const box = page.getByLabel("Private account");
  const account = doc(db, `users/${uid}`);
  let counting = true;
  const count = async () => {
    for (let n = 1; counting; n++) await setDoc(account, { counts: { followers: n } }, { merge: true });
  };
  const counts = Promise.all([count(), count(), count()]);
  await box.and(page.locator(":enabled")).waitFor();
  const reverts = await box.evaluateHandle((node) => {
    const { get, set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "checked") as { get: () => boolean; set: (next: boolean) => void };
    const seen: boolean[] = [];
    const noted = function (this: HTMLInputElement, next: boolean) {
      if (this.checked && !next) seen.push(next);
      set.call(this, next);
    };
    Object.defineProperty(node, "checked", { configurable: true, get, set: noted });
    return seen;
  });
  await box.click();
  await page.getByText("Private: new followers").waitFor();
  counting = false;
  await counts;
  expect(await reverts.jsonValue()).toEqual([]);

  await setDoc(account, { closed: false }, { merge: true }); // opened elsewhere
  await box.and(page.locator(":not(:checked)")).waitFor();
});

test("a follow button works on the way back, also if its row came while another view was shown", async ({ browser }) => {
  const { page, uid } = await signUp(browser, "Back Button");
  const [first, second] = [`first-${uid}`, `second-${uid}`];
  await Promise.all([register(first, `First of ${uid}`), register(second, `Second of ${uid}`)]);
  await follow(first, uid);
  await idle();
  await page.goto("/#/people/following");
  await page.getByRole("button", { name: `Following First of ${uid}: unfollow` }).waitFor();
  await page.goto(`/#/u/${second}`);
  await page.getByText("Nothing written yet").waitFor(); // stale: firestore.ts
  await page.getByRole("button", { name: `Follow Second of ${uid}`, exact: true }).click();
  await page.getByRole("button", { name: `Following Second of ${uid}: unfollow` }).waitFor();
  await idle();
  await page.goBack();
  await page.getByRole("button", { name: `Following Second of ${uid}: unfollow` }).click();
  await page.getByText(`You no longer follow Second of ${uid}.`).waitFor();
  expect(page.errors).toEqual([]);
});

test("a post that comes into the feed while its author edits it leaves the form where it is", async ({ browser }) => {
  const me = await signUp(browser, "Edits Soon");
  const { page } = me;
  await post(me, "With a typo.");
  await idle();
  const written = page.getByRole("list", { name: "What you have just written" });
  const id = (await written.locator("header a.when").getAttribute("href"))!.split("/").at(-1)!;
  await written.getByRole("button", { name: "Edit", exact: true }).click();
  await page.keyboard.press("End");
  await page.keyboard.type(" Not fin");
  // As functions write it where feeds have own posts: here they do not.
  await write({ [`_relations/${id}`]: { postId: id, userId: me.uid, createdAt: new Date(), followers: [me.uid] } });
  await inFeed(me, "With a typo.").waitFor();
  await page.keyboard.type("ished.");
  await page.keyboard.press("Control+Enter");
  await inFeed(me, "With a typo. Not finished.").waitFor();
  await written.waitFor({ state: "hidden" });
  expect(page.errors).toEqual([]);
});

test("an edit shows at once in a list that has to be read again", async ({ browser }) => {
  const me = await signUp(browser, "Edits Tags");
  const { page } = me;
  const tag = `#edit${Date.now()}`;
  await post(me, `Before: ${tag}.`);
  await idle();
  await page.goto(`/#/about/${encodeURIComponent(tag)}`);
  const about = page.getByRole("list", { name: "Posts about it" }).getByRole("article");
  await about.filter({ hasText: "Before:" }).getByRole("button", { name: "Edit", exact: true }).click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type(`After: ${tag}.`);
  await page.keyboard.press("Control+Enter");
  await expect.poll(() => about.locator(".post-text").allTextContents()).toEqual([`After: ${tag}.`]);
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await expect.poll(() => page.getByLabel("Edit the post").inputValue()).toBe(`After: ${tag}.`);
});

test("Enter adds nobody of an earlier search", async ({ browser }) => {
  const { page, uid } = await signUp(browser, "Picks People");
  const tag = `pick${Date.now()}`;
  await Promise.all([register(`a-${uid}`, `${tag} Bea`), register(`b-${uid}`, `${tag} Ben`)]);
  await page.getByLabel("Who gets this post").selectOption("Only people I add");
  await page.getByLabel("Add people by name").fill(`${tag} Be`);
  await page.getByRole("button", { name: `Add ${tag} Bea` }).waitFor();
  await page.getByLabel("Add people by name").pressSequentially("n");
  await page.keyboard.press("Enter");
  await page.waitForFunction(
    (name) => [...document.querySelectorAll(".found button")].map((found) => found.getAttribute("aria-label")).join() === name,
    `Add ${tag} Ben`,
  );
  await expect.poll(() => page.getByRole("button", { name: `Remove ${tag} Bea` }).count()).toBe(0);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: `Remove ${tag} Ben` }).waitFor();
});
