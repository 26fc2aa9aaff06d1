// Posts, comments, groups and long lists: what only browsers with the whole system show.
import { doc, getDoc } from "firebase/firestore";
import type { Page } from "playwright-core";
import { expect } from "vitest";

import { db, follow, idle, profile, register, remove, write } from "../../firestore.ts";
import { answer, choose, focused, inFeed, makeModerator, open, post, readFrom, shown, signIn, signUp, test, visit } from "../../browser/browser.ts";

const articles = (page: Page) => shown(page).getByRole("article");
const button = (page: Page, name: string) => shown(page).getByRole("button", { name, exact: true });
const chip = (page: Page) => shown(page).getByRole("button", { name: /^Who gets this post/ });
/** What the form for a new post has: its text, and who gets it. */
const written = async (page: Page) => [await shown(page).getByLabel("Write a post").inputValue(), await chip(page).textContent()];

/** Writes a post without sending it: to an audience of the panel, of a kind, and to somebody who is found by name. */
async function draft(page: Page, text: string, audience: string, kind = "", name = ""): Promise<void> {
  await shown(page).getByLabel("Write a post").fill(text);
  await chip(page).click();
  await page.getByRole("radio", { name: audience }).check();
  if (kind) await page.getByLabel("Kind of post").selectOption(kind);
  if (name) await page.getByLabel("Add people by name").fill(name);
  if (name) await page.getByRole("button", { name: `Add ${name}` }).click();
  await page.keyboard.press("Escape");
}

test("members post in a group, and read it alone once it is closed; a post to named people is theirs", async ({ browser }) => {
  const [ada, ben, eve] = await Promise.all([signUp(browser, "Ada Group"), signUp(browser, "Groupie Ben"), signUp(browser, "Eve Group")]);
  const { page } = ada;
  await visit(page, "Groups");
  await button(page, "New group").click();
  await page.getByLabel("Name of the group").fill("Team Story");
  await button(page, "Create group").click();
  await button(page, "In my feed Team Story: remove").waitFor();
  const group = new URL(page.url()).hash;

  await ben.page.goto(`/${group}`);
  await shown(ben.page).getByText("Nothing written yet").waitFor(); // stale: firestore.ts
  expect(await shown(ben.page).getByLabel("Write a post").count()).toBe(0); // members post
  await button(ben.page, "Join Team Story").click();
  await post(ben, "From a member.");
  await idle();
  await eve.page.goto(`/${group}`);
  await articles(eve.page).getByText("From a member.").waitFor();
  const alone = await articles(eve.page).locator("a.when").getAttribute("href");
  await choose(shown(page), "Edit");
  await page.getByLabel("Closed").check();
  await button(page, "Save").click();
  await shown(eve.page).getByText("This group is closed").waitFor();
  await eve.page.goto(`/${alone}`);
  await shown(eve.page).getByText("This post is not here").waitFor();
  await visit(page, "Feed");
  await visit(ben.page, "Feed");
  await inFeed(ada, "From a member.").getByText("in Team Story").waitFor();

  await draft(page, "Between us.", "Only people I add", "", "Groupie Ben");
  await button(page, "Post").click();
  await articles(page).getByText("only to Groupie Ben").waitFor();
  expect(await written(page)).toEqual(["", "Followers (public)"]);
  await inFeed(ben, "Between us.").getByText("only to").waitFor();

  await inFeed(ada, "From a member.").getByRole("link", { name: "Team Story" }).click();
  await button(page, "In my feed Team Story: remove").waitFor();
  await choose(shown(page), "Delete");
  await answer(page, "Delete group");
  await shown(page).getByText("You own no group yet").waitFor();
  await ben.page.goto(`/${group}`);
  await shown(ben.page).getByText("This group is gone").waitFor();
  expect([...page.errors, ...ben.page.errors, ...eve.page.errors]).toEqual([]);
});

test("a text and its choices outlive a reload, and return when they are refused; so does an edit; #names lead to others' posts", async ({ browser }) => {
  const me = await signUp(browser, "Refused");
  const { page, uid } = me;
  const [group, other, tag] = [`g_refuses-${uid}`, `other-${uid}`, `#ladder${Date.now()}`];
  const asked = `Who has a ladder? ${tag} http://example.com/a`;
  await write({ [`users/${group}`]: { ...profile("Refusers"), ownerId: "nobody", post: "members", closed: false } });
  await follow(group, uid);
  await register(other, "Other");
  await write({ [`posts/${other}`]: { userId: other, audience: other, hidden: false, refs: [tag], createdAt: new Date(), text: "I do." } });
  await idle();
  await page.reload();
  await draft(page, asked, "Refusers");
  await page.reload();
  await chip(page).click();
  await page.getByLabel("Kind of post").selectOption("Question"); // another choice, and the text stays
  await page.reload();
  await expect.poll(() => written(page)).toEqual([asked, "Group: Refusers · Question"]);
  await remove(`users/${group}/followers/${uid}`);
  await page.context().setOffline(true);
  await button(page, "Post").click();
  await shown(page).getByLabel("Write a post").fill("The next one.");
  await page.context().setOffline(false);
  await shown(page).getByText("Not posted. This is not allowed.").waitFor();
  expect((await written(page))[0]).toBe("The next one.");
  await shown(page).getByLabel("Write a post").fill("");
  await button(page, "Bring back what was not sent").click();
  expect(await written(page)).toEqual([asked, "Group: Refusers · Question"]);
  await draft(page, asked, "Followers (public)");
  await button(page, "Post").click();
  await articles(page).getByText("question", { exact: true }).waitFor();
  await articles(page).locator("time").waitFor();
  expect(await written(page)).toEqual(["", "Followers (public)"]);

  expect(await articles(page).getByRole("link", { name: "example.com/a" }).first().getAttribute("rel")).toBe("nofollow noopener noreferrer ugc");
  await articles(page).getByRole("link", { name: tag }).click(); // also: the press after a form was used is not lost
  await articles(page).getByText("I do.").waitFor();
  const mine = articles(page).filter({ hasText: "Refused" });
  await choose(mine, "Edit");
  await page.getByLabel("Edit the post").fill(`${tag}: found.`);
  await button(page, "Save").click();
  await expect.poll(() => mine.locator(".post-text").allTextContents()).toEqual([`${tag}: found.`]); // at once, though the list has to be read again

  const id = (await mine.locator("a.when").getAttribute("href"))!.split("/").at(-1)!;
  await expect.poll(async () => (await getDoc(doc(db, "posts", id))).get("text")).toBe(`${tag}: found.`);
  await write({ [`posts/${id}`]: { userId: uid, audience: "g_nobodys", hidden: false, createdAt: new Date(), text: "Moved." } });
  await visit(page, "Profile");
  await articles(page).getByText("Moved.").waitFor();
  await choose(articles(page), "Edit");
  await page.getByLabel("Edit the post").fill("Once more.");
  await page.reload();
  await choose(articles(page), "Edit draft");
  await button(page, "Save").click();
  await articles(page).getByText("Not saved. This is not allowed.").waitFor();
  expect(await page.getByLabel("Edit the post").inputValue()).toBe("Once more.");
  await button(page, "Cancel").click();
  await articles(page).getByText("Moved.").waitFor();
  expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("draft/")))).toEqual([]);
  expect(page.errors).toEqual([]);
});

test("comments are live, earlier ones come on request, and one of those goes; a moderator takes the post down", async ({ browser }) => {
  const [ada, bob, mod] = await Promise.all([signUp(browser, "Ada Talks"), signUp(browser, "Bob Talks"), signUp(browser, "Moderator")]);
  await makeModerator(mod.uid);
  const [at, id, { page, uid }] = [Date.now() - 60_000, `long-${ada.uid}`, ada];
  const comment = (n: number) => ({ userId: uid, thread: `${uid}/${uid}`, text: `Comment ${n}`, createdAt: new Date(at + n * 1000) });
  await follow(uid, bob.uid);
  await write({ [`posts/${id}`]: { userId: uid, audience: uid, hidden: false, createdAt: new Date(at), text: "Much talk." } });
  await write(Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`posts/${id}/comments/c${n}`, comment(n)])));
  await idle();
  const talk = inFeed(bob, "Much talk.");
  await talk.getByRole("button", { name: "Comments" }).click();
  await page.goto(`/#/p/${id}`);
  const texts = (of: Page) => shown(of).getByRole("list", { name: "Comments" }).locator(".post-text").allTextContents();
  const from = (first: number) => Array.from({ length: 25 - first }, (_, n) => `Comment ${first + n}`);
  await expect.poll(() => texts(page)).toEqual(from(5));
  await button(page, "Show earlier comments").click();
  await expect.poll(() => texts(page)).toEqual(from(0));
  await choose(shown(page).locator(".comment").first(), "Delete");
  await answer(page, "Delete");
  await expect.poll(() => texts(page)).toEqual(from(1));
  await shown(page).getByLabel("Write a comment").fill("Comment 25");
  await button(page, "Comment").click();
  await expect.poll(async () => (await texts(bob.page)).at(-1)).toBe("Comment 25");

  const judge = await open(browser); // the claim counts from this sign-in on
  await signIn(judge, mod.email);
  await judge.getByRole("heading", { level: 1, name: "Feed" }).waitFor();
  await judge.goto(`/#/u/${uid}`);
  await choose(articles(judge), "Take down");
  await shown(bob.page).getByText("Your feed is empty").waitFor();
  await articles(page).getByText("Taken down", { exact: true }).waitFor(); // its author still sees it
  await choose(articles(judge), "Show again");
  await talk.waitFor();
  expect([...page.errors, ...bob.page.errors, ...judge.errors]).toEqual([]);
});

test("a long list: a pill for what is new, older pages once each, one that failed again, and the way back", async ({ browser }) => {
  const me = await signUp(browser, "Far Down");
  const { page, uid } = me;
  const [author, long] = [`down-${uid}`, Date.now() - 3_600_000];
  const numbered = async (by: string, ...numbers: number[]) => {
    // Some have the same time.
    const one = (n: number) => ({ userId: by, audience: by, hidden: false, createdAt: new Date(long + Math.floor(n / 3) * 10_000), text: `Post number ${n}.` });
    await write(Object.fromEntries(numbers.map((n) => [`posts/${by}-${n}`, one(n)])));
    await idle();
  };
  const down = (first: number) => Array.from({ length: first }, (_, n) => first - n);
  const numbers = async () => (await articles(page).locator(".post-text").allTextContents()).map((text) => Number(/\d+/.exec(text)?.[0]));
  const toTheEnd = () => page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  const all = async () => (await toTheEnd(), (await numbers()).toSorted((a, b) => b - a));
  await register(author, "Long Writer");
  await follow(author, uid);
  await idle();
  await numbered(author, ...down(47));
  await page.reload();

  const inView = shown(page).getByText("Post number 40.");
  await inView.waitFor();
  await page.evaluate(() => window.scrollTo(0, 900));
  const before = await inView.boundingBox();
  await numbered(author, 70, 80, 90);
  await button(page, "3 new posts").waitFor();
  expect([await shown(page).getByText("Post number 90.").count(), (await inView.boundingBox())?.y]).toEqual([0, before?.y]); // nothing has jumped
  await button(page, "3 new posts").click();
  await expect.poll(async () => (await numbers()).slice(0, 3)).toEqual([90, 80, 70]);
  await expect.poll(() => focused(page)).toBe("Feed");
  await remove(`posts/${author}-80`);
  await shown(page).getByText("Post number 80.").waitFor({ state: "detached" });
  await expect.poll(all).toEqual([90, 70, ...down(47)]);

  // To a post and back, to the list as it was.
  const when = articles(page).nth(30).locator("a.when");
  await when.scrollIntoViewIfNeeded();
  const was = [await page.evaluate(() => window.scrollY), await when.getAttribute("href")];
  await when.click();
  await shown(page).getByText("No comments yet.").waitFor();
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
  await page.goBack();
  await expect.poll(() => articles(page).count()).toBe(49);
  expect(await page.evaluate(() => [window.scrollY, document.activeElement?.getAttribute("href")])).toEqual(was);

  // By Feed: a page that fails is asked for again.
  await page.route(/\/Feed\?.*cursor=/, (route) => route.fulfill({ status: 503, json: { error: { code: "unavailable", message: "later" } } }));
  await readFrom(page, "feed");
  await expect.poll(async () => (await numbers()).length).toBe(20);
  await toTheEnd();
  await button(page, "Try again").waitFor();
  await page.unroute(/\/Feed\?.*cursor=/);
  await button(page, "Try again").click();
  await expect.poll(all).toEqual([90, 70, ...down(47)]);

  // A post of a later page is deleted: the next page has neither a gap nor a repeat.
  await numbered(uid, ...down(47));
  await visit(page, "Profile");
  await expect.poll(async () => (await toTheEnd(), (await numbers()).length)).toBeGreaterThan(20);
  await choose(articles(page).nth(22), "Delete");
  await answer(page, "Delete");
  await shown(page).getByText("Post number 25.").waitFor({ state: "detached" });
  await expect.poll(all).toEqual(down(47).filter((n) => n !== 25));
  expect(page.errors).toEqual([]);
});
