// Names, ids and texts of others, wherever the pages show them: isolated from what stands beside them, and with no character
// that hides. A place that is added to a page belongs into a table here; one that is forgotten is found by the sweep.
import type { Page } from "playwright-core";
import { expect } from "vitest";

import { open, signUp, test, visit } from "../../browser/browser.ts";
import { enqueue, idle, write } from "../../firestore.ts";

/** In each text of others. */
const mark = "Zorro";
const bidi = "\u202e",
  invisible = "\u200b";
const theirs = (what: string) => `${bidi}${mark}${invisible}${what}\u2066`;

/** The texts that are shown with the mark and are neither in a <bdi>, nor in an element with its own direction. And marks that hide. */
async function loose(page: Page): Promise<string[]> {
  return page.evaluate(
    ([mark, several]) => {
      const found: string[] = [];
      const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (walk.nextNode()) {
        const node = walk.currentNode as Text,
          parent = node.parentElement!;
        if (!node.data.includes(mark!) || parent.closest("script, style, option")) continue;
        const own = parent.closest("bdi, [dir=auto]");
        if (!own) found.push(`not isolated: ${parent.outerHTML.slice(0, 200)}`);
        if (!parent.closest(several!) && /[\u202a-\u202e\u2066-\u2069\u200b]/.test(node.data))
          found.push(`hides: ${JSON.stringify(node.data)} in ${parent.outerHTML.slice(0, 200)}`);
      }
      for (const node of document.querySelectorAll("[aria-label]")) {
        const label = node.getAttribute("aria-label")!;
        if (label.includes(mark!) && !label.startsWith("Show again: ") && /[\u202a-\u202e\u2066-\u2069\u200b]/.test(label))
          found.push(`label: ${JSON.stringify(label)}`);
      }
      return found;
    },
    [mark, ".post-text, .clip[dir=auto], .problem .why bdi"] as const,
  );
}

/** Each place has the mark, and what the page has of it is isolated. */
async function check(page: Page, where: string, places: string[]): Promise<string[]> {
  for (const place of places)
    await page
      .locator(place)
      .filter({ hasText: mark })
      .first()
      .waitFor({ timeout: 30_000 })
      .catch(() =>
        page
          .evaluate(() => document.body.innerText)
          .then((text) => {
            throw new Error(`${where}: ${place} is not there in ${text.slice(0, 600)}`);
          }),
      );
  return (await loose(page)).map((found) => `${where}: ${found}`);
}

test("in the app", async ({ browser }) => {
  const me = await signUp(browser, "Careful Reader");
  const { page, uid } = me;
  const author = `a-${uid}`,
    group = `g_${uid}`,
    own = `g_own${uid}`,
    asking = `r-${uid}`,
    blocked = `b-${uid}`;
  const person = (what: string) => ({ name: theirs(what), nameLower: `${mark.toLowerCase()} ${what}` });
  const now = () => ({ createdAt: new Date() });
  await write({
    [`users/${uid}`]: { name: "Careful Reader", nameLower: "careful reader", closed: true },
    [`users/${author}`]: person("author"),
    [`users/${asking}`]: person("asking"),
    [`users/${blocked}`]: person("blocked"),
    [`users/${group}`]: { ...person("group"), ownerId: author, post: "anyone", closed: false },
    [`users/${own}`]: { ...person("own"), ownerId: uid, post: "anyone", closed: true },
    [`users/${author}/followers/${uid}`]: now(),
    [`users/${group}/followers/${uid}`]: now(),
    [`users/${uid}/followers/${author}`]: now(),
    [`users/${own}/followers/${author}`]: now(),
    [`users/${own}/requests/${asking}`]: { followerId: asking, ...now() },
    [`users/${own}/blocked/${blocked}`]: now(),
    [`users/${uid}/requests/${asking}`]: { followerId: asking, ...now() },
    [`users/${uid}/blocked/${blocked}`]: now(),
    [`posts/${author}-1`]: {
      userId: author,
      audience: author,
      hidden: false,
      ...now(),
      kind: theirs("kind"),
      text: theirs("text"),
      to: [uid, blocked],
      refs: [`#${theirs("tag")}`, group],
    },
    [`posts/${author}-2`]: { userId: author, audience: group, hidden: false, ...now(), text: theirs("in the group"), to: [], refs: [] },
    [`posts/${author}-3`]: { userId: author, audience: author, hidden: false, ...now(), text: "", kind: "repost", repostOf: `${author}-1` },
    [`posts/${author}-1/comments/c1`]: { userId: blocked, ...now(), thread: `${author}/${author}`, text: theirs("comment") },
  });
  await idle();

  const found: string[] = [];
  const list = "ul.list article";
  for (const [where, go, places] of [
    [
      "the feed",
      () => visit(page, "Feed"),
      [
        `${list} header .name`,
        `${list} header .badge`,
        `${list} .post-text`,
        `${list} .line a[href^='#/about/%23']`,
        `${list} .line a[href^='#/about/g_']`,
        `${list} header .line a`,
      ],
    ],
    ["a repost", () => page.goto(`/#/p/${author}-3`), [".reposters .name"]],
    ["the feed again", () => visit(page, "Feed"), [".reposters .name"]],
    [
      "comments",
      () => page.getByRole("article").filter({ hasText: "kind" }).getByRole("button", { name: "Comments" }).click(),
      [".comment .name", ".comment .post-text"],
    ],
    ["people", async () => (await visit(page, "People"), await page.getByLabel("Search by name").fill("zorro")), ["main .person .name"]],
    ["people I follow", () => page.goto("/#/people/following"), ["main .person .name"]],
    ["my followers", () => page.goto("/#/people/followers"), ["main .person .name"]],
    [
      "a question about a follower",
      () =>
        page
          .getByRole("button", { name: /^Block / })
          .first()
          .click(),
      ["main .confirm"],
    ],
    ["requests", () => page.goto("/#/people/requests"), ["main .person .name"]],
    ["who is blocked", () => page.goto("/#/people/blocked"), ["main .person .name"]],
    [
      "what was done",
      () =>
        page
          .getByRole("button", { name: /^Unblock / })
          .first()
          .click(),
      [".toast"],
    ],
    ["groups", () => page.goto("/#/groups/joined"), ["main .person .name"]],
    ["groups that I own", () => page.goto("/#/groups/owned"), ["main .person .name"]],
    ["a person", () => page.goto(`/#/u/${author}`), ["main h1", `${list} .post-text`]],
    ["a group", () => page.goto(`/#/u/${group}`), ["main h1", `${list} .post-text`]],
    ["a group of mine", () => page.goto(`/#/u/${own}/members`), ["main h1", "main .person .name"]],
    ["its requests", () => page.goto(`/#/u/${own}/requests`), ["main .person .name"]],
    ["who is blocked there", () => page.goto(`/#/u/${own}/blocked`), ["main .person .name"]],
    ["posts about a #name", () => page.goto(`/#/about/${encodeURIComponent(`#${theirs("tag")}`)}`), ["main h1"]],
    ["posts about an account", () => page.goto(`/#/about/${group}`), ["main h1"]],
    [
      "people to name",
      async () => (
        await visit(page, "Feed"), await page.getByRole("button", { name: "Add people" }).click(), await page.getByLabel("Add people by name").fill("zorro")
      ),
      [".found button"],
    ],
    ["people who are named", () => page.locator(".found button").first().click(), [".chips .chip"]],
  ] satisfies [string, () => Promise<unknown>, string[]][]) {
    await go();
    found.push(...(await check(page, where, places)));
  }
  expect(found).toEqual([]);
  expect(page.errors).toEqual([]);

  // A name is one more name in its line, whatever it is: what follows it stands where it would.
  await page.goto(`/#/u/${author}`);
  await page.locator("main h1", { hasText: mark }).waitFor();
  await expect.poll(() => page.locator("main h1").textContent()).toBe(`\ufffd${mark}\ufffdauthor\ufffd`);
});

test("in the console", async ({ browser }) => {
  const author = "console-zorro",
    id = `${bidi}${mark}-id`;
  await write({
    [`users/${author}`]: { name: theirs("author"), nameLower: "zorro author" },
    [`users/${id}`]: { name: theirs("by id"), nameLower: "zorro by id" },
    [`users/${author}/followers/${id}`]: { createdAt: new Date() },
    [`posts/${mark}${bidi}1`]: { userId: author, audience: author, hidden: false, createdAt: new Date(), text: theirs("text"), to: [id] },
  });
  await enqueue(`test:${mark}${bidi}`, {
    state: "failed",
    kind: theirs("kind"),
    chunk: 1,
    collection: theirs("posts"),
    error: { code: theirs("code"), message: theirs("message"), at: new Date() },
  });
  await idle();
  const page = await open(browser, `/console/#author=${author}`);
  await page.getByLabel("Search authors").fill("zorro");
  const found = await check(page, "the console", [
    ".author .choice .name",
    ".author .choice code",
    ".author h3",
    ".post .choice .name",
    ".post .choice .muted.name",
    ".post .choice code",
    ".post h3",
    ".relations .audience",
    ".actions-list .what",
    ".job .job-id",
    ".job p.small",
    ".job .why",
  ]);
  await page.getByRole("button", { name: "Play" }).click();
  found.push(...(await check(page, "the Play menu", ["#play button"])));
  expect(found).toEqual([]);
  expect(page.errors).toEqual([]);
});
