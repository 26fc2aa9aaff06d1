// Every page and state of the app, with hostile texts wherever one of others shows: axe finds nothing, light and dark, on a phone and a
// laptop; nothing is too wide; a text is isolated from what stands beside it, hides no character, and is no script.
// A place that is added to a page belongs into the table; one that is forgotten is found by the sweep.
import type { Page, Route } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";

import { named, open, overflow, type Person, readFrom, shown, signUp, test, violations, watchShifts } from "../../browser/browser.ts";
import { seed } from "../../browser/seed.ts";
import { enqueue, idle, profile, write } from "../../firestore.ts";
import { startTimelines, type Timelines } from "../../timelines.ts";

let system: Timelines;
beforeAll(async () => {
  const on = "true";
  system = await startTimelines("items", {
    RELATIONINDEX_SETTINGS: on,
    RELATIONINDEX_COUNTS: on,
    RELATIONINDEX_NOTIFICATIONS: on,
    RELATIONINDEX_BACKFILL: "40",
  });
});
afterAll(() => system.stop());

/** In each text of others. */
const [mark, script] = ["Zorro", '<img src=x onerror="alert(1)">'];
const theirs = (what: string) => `\u202e${mark}\u200b${script}${what}\u2066`;
const person = (what: string) => ({ name: theirs(what), nameLower: `${mark.toLowerCase()} ${what}`, bio: theirs(`bio of ${what}`) });
const now = () => ({ createdAt: new Date() });
const post = (userId: string, more: object = {}) => ({ userId, audience: userId, hidden: false, to: [], refs: [], ...now(), ...more });
const photo = { url: "https://lh3.googleusercontent.com/photo", width: 1200, height: 800 };
const showPhoto = ({ page }: Person) =>
  page.context().route(photo.url, (route) => route.fulfill({ contentType: "image/svg+xml", body: '<svg xmlns="http://www.w3.org/2000/svg"/>' }));

/** What is wrong with the texts of others in a page, wherever it shows the mark. */
const sweep = (page: Page): Promise<string[]> =>
  page.evaluate((mark) => {
    const found: string[] = [];
    const hides = /[\u202a-\u202e\u2066-\u2069\u200b]/;
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      const node = walk.currentNode as Text;
      if (!node.data.includes(mark)) continue;
      const own = node.parentElement!.closest("bdi, [dir=auto]");
      if (!own) found.push(`not isolated: ${node.parentElement!.outerHTML.slice(0, 200)}`);
      // A text of several lines has an element of its own, and is there as it was written.
      else if (own.matches("bdi:not(.why *)") && hides.test(node.data)) found.push(`hides: ${JSON.stringify(node.data)}`);
    }
    for (const node of document.querySelectorAll(`[aria-label*="${mark}"]:not([aria-label^="Show again: "])`))
      if (hides.test(node.ariaLabel!)) found.push(`its label hides: ${node.outerHTML.slice(0, 200)}`);
    for (const made of document.querySelectorAll("img[src=x], [onerror]")) found.push(`made of a text: ${made.outerHTML}`);
    return found;
  }, mark);

/** Waits until each place shows the mark, and sweeps. */
async function check(page: Page, where: string, places: string[]): Promise<string[]> {
  const found: string[] = [];
  for (const place of places) {
    const there = page.locator(place).filter({ hasText: mark, visible: true }).first();
    await there.waitFor({ timeout: 30_000 }).catch(() => found.push(`${place} is not there`));
  }
  return [...found, ...(await sweep(page))].map((one) => `${where}: ${one}`);
}

/** What is wrong with what a person sees of it. */
async function look(page: Page, where: string, places: string[] = []): Promise<string[]> {
  await named(page);
  const found = await check(page, where, places);
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 760 });
    const outside = (all: Element[]) => all.filter((one) => one.getBoundingClientRect().right > innerWidth).map((one) => `cut off: ${one.outerHTML}`);
    const wrong = [...(await violations(page)), ...(await page.locator("button:visible, .menu, .panel").evaluateAll(outside))];
    if ((await overflow(page)) > 0) wrong.push("too wide");
    found.push(...wrong.map((one) => `${where}, ${width} px: ${one}`));
  }
  return found;
}

test("every page and state", { timeout: 900_000 }, async ({ browser }) => {
  const phone = { viewport: { width: 360, height: 760 }, baseURL: system.at.webURL };
  const door = await open(browser, "/", phone);
  const create = door.getByRole("button", { name: "Create one" });
  await create.waitFor();
  const found = await look(door, "sign in");
  await create.click();
  found.push(...(await look(door, "sign up")));
  const me = await signUp(browser, `${mark} ${script}`, phone);
  const { page, uid } = me;
  const feed = page.getByRole("list", { name: "Posts of the people you follow" }).getByRole("article");
  const button = (name: string | RegExp) => shown(page).getByRole("button", { name, exact: true }).first();
  const press = (name: string | RegExp) => button(name).click();
  const entry = (name: string | RegExp) => page.locator(":popover-open").getByRole("button", { name, exact: true }).click();
  const choose = async (name: string | RegExp, what: string) => (await press(name), await entry(what));
  const inPost = (text: string, what: string) => feed.filter({ hasText: text }).locator(what).first().click();
  const menu = ".post-menu button";
  const says = (text: string | RegExp) => page.getByText(text).filter({ visible: true }).first().waitFor();
  const to = async (path: string, text = "") => (await page.keyboard.press("Escape"), await page.goto(`/#/${path}`), text && (await says(text)));
  const type = (label: string, text: string) => page.getByLabel(label).fill(text);
  const fail = (route: Route) => route.fulfill({ status: 503, json: { error: { code: "unavailable", message: "later" } } });
  const row = ".person .name";

  for (const [where, go, ...places] of [
    ["an empty feed", () => says("Your feed is empty")],
    ["no notifications", () => to("notifications", "Nothing new yet")],
    [
      "the feed",
      async () => (await showPhoto(me), await fill(me), await to("feed", "Only the five of you"), await feed.locator(".photo").waitFor()),
      ...[".name", ".clip"].map((what) => `article header ${what}`),
      ...["about/%23", "about/g_", "u/"].map((to) => `article .line a[href^='#/${to}']`),
      ...[".post-text", ".reposters .name"],
    ],
    ["a menu", () => inPost("kind", menu), ".menu .entry"],
    ["a filter", () => entry(/^Always show every/), ".toast"],
    ["a hidden post", async () => (await inPost("in the group", menu), await entry("Hide this post"), await says("Hidden from your feed."))],
    ["comments", () => inPost("kind", ".post-bar button"), ".comment .name", ".comment .post-text"],
    ["too long a text", async () => (await type("Write a post", "y".repeat(10_001)), await page.keyboard.press("Control+Enter"), await says("1 too many"))],
    ["who gets it", async () => (await press(/^Who gets/), await type("Add people by name", "zorro")), ".choice", ".found button"],
    ["people who get it", () => page.locator(".found button").first().click(), ".picker .chip", "[popovertarget].chip"],
    ["my profile", () => to(`u/${uid}`), "h1", ".post-text"],
    ["my profile being edited", () => press("Edit profile")],
    ["a post being edited", async () => (await press("Cancel"), await choose("More about this post", "Edit"))],
    ["a question", async () => (await press("Cancel"), await choose("More about this post", "Delete"), await says("Delete this post?"))],
    ["a post alone", () => to(`p/a-${uid}-1`), "article header .name", ".comment .name"],
    ["a repost alone", () => to(`p/a-${uid}-3`), ".reposters .name"],
    ["a post that is gone", () => to("p/none", "This post is not here")],
    ["a very long post", async () => (await to(`p/long-${uid}`), await press(/^Show more \(929,/), await press(/^Show more \(92\d,/))],
    ["no page", () => to("nonsense", "This page does not exist")],
    ["everyone", async () => (await to("people"), await type("Search by name", "zorro"), await button(/^Join/).waitFor()), row, ".person p"],
    ["nobody by that name", async () => (await type("Search by name", "zzzz"), await says("Nobody here by that name"))],
    ["people I follow", () => to("people/following"), row],
    ["my followers", () => to("people/followers"), row],
    ["a question about a follower", () => choose(/^More about .*Zorro/, "Block"), "dialog p"],
    ["requests", () => to("people/requests"), row],
    ["who is blocked", () => to("people/blocked"), row],
    ["nobody is blocked", async () => (await press(/^Unblock/), await says("You have blocked nobody")), ".toast"],
    ["my groups, and a new one", async () => (await to("groups/owned"), await press("New group")), row],
    ["groups that I have joined", () => to("groups/joined"), row],
    ["a person", async () => (await to(`u/a-${uid}`), await button(/unfollow$/).waitFor()), "h1", ".bio", ".post-text"],
    ["a person's menu", async () => (await press(/^More about .*Zorro/), await says("Posts about them"))],
    ["nobody", () => to("u/none", "Nobody is here")],
    ["a private account", async () => (await to(`u/r-${uid}`), await press(/^Request to follow/), await button(/: withdraw$/).waitFor()), "h1", ".notice p"],
    ["fields of other types", async () => (await to(`u/odd-${uid}`, "Like any other."), await shown(page).locator("article .name").nth(1).waitFor())],
    ["a topic", () => to(`u/g_${uid}`), "h1", ".post-text"],
    ["a closed group", () => to("u/g_board", "This group is closed")],
    ["a group of mine, its form", async () => (await to(`u/g_own${uid}`), await choose("More about this group", "Edit")), "h1"],
    ["its members", () => to(`u/g_own${uid}/members`), "h1", row],
    ["who asks to join", () => to(`u/g_own${uid}/requests`), row],
    ["who may not join", () => to(`u/g_own${uid}/blocked`), row],
    ["posts about a #name", () => to(`about/${encodeURIComponent(`#${theirs("tag")}`)}`), "h1", "article header .name"],
    ["posts about an account", () => to(`about/g_${uid}`), "h1", ".post-text"],
    ["notifications", () => to("notifications"), ".sentence .name", ".excerpt", `.requests ${row}`],
    ["settings", () => to("settings"), "[aria-label=Filters] li", "[aria-label='Hidden posts'] li"],
    [
      "a feed that failed",
      async () => (await page.route("**/Feed?*", fail), await to("feed"), await readFrom(page, "feed"), await button("Try again").waitFor()),
    ],
    ["offline", async () => (await page.context().setOffline(true), await says("Offline."))],
  ] satisfies [string, () => Promise<unknown>, ...string[]][]) {
    await go();
    found.push(...(await look(page, where, places)));
  }
  expect(found).toEqual([]);
  expect([...door.errors, ...page.errors]).toEqual([]);
});

/** Writes people, groups and posts that have the mark in each of their texts, beside those of seed. */
async function fill({ uid }: Person): Promise<void> {
  const [author, asking, blocked, odd, long] = [`a-${uid}`, `r-${uid}`, `b-${uid}`, `odd-${uid}`, `long-${uid}`];
  const [group, own, noIds] = [`g_${uid}`, `g_own${uid}`, ["a/b", "__x__", "..", "x".repeat(1_600)]];
  const edges = (list: string, id: string) => Object.fromEntries([uid, own].map((to) => [`users/${to}/${list}/${id}`, { followerId: id, ...now() }]));
  await seed(uid, system);
  await system.write({
    [`users/${author}`]: person("author"),
    [`users/${asking}`]: { ...person("asking"), closed: true },
    [`users/${blocked}`]: person("blocked"),
    [`users/${odd}`]: { name: 7 },
    [`users/${long}`]: profile("Long Author"),
    [`users/${group}`]: { ...person("group"), ownerId: author, post: "anyone", closed: false },
    [`users/${own}`]: { ...person("own"), ownerId: uid, post: "anyone", closed: true },
    [`posts/${uid}-1`]: post(uid, { text: theirs("mine") }),
    [`posts/${odd}-1`]: post(odd, { text: 12, createdAt: "yesterday" }),
    [`posts/${odd}-2`]: post(odd, { text: "Like any other." }),
    [`posts/${long}`]: post(long, { text: "x".repeat(450_000) + " ordinary words ".repeat(30_000) }), // half of it one word
    ...Object.fromEntries([author, group, odd].map((id) => [`users/${id}/followers/${uid}`, now()])),
    ...edges("followers", author),
    ...edges("requests", asking),
    ...edges("blocked", blocked),
    [`posts/${author}-4`]: post(author, { text: theirs("first"), createdAt: new Date(0) }),
    [`posts/${author}-2`]: post(author, { audience: group, text: theirs("in the group") }),
    [`posts/${author}-5`]: post(author, { text: "A photo.", photo }),
    // No document can have the last ids. They hide nobody's name.
    [`posts/${author}-1`]: post(author, {
      kind: theirs("kind"),
      text: theirs("text"),
      refs: [`#${theirs("tag")}`, group, "a/b"],
      to: [uid, blocked, ...noIds],
    }),
    [`posts/${uid}-1/likes/${author}`]: { userId: author, ...now() },
    [`posts/${author}-3`]: post(author, { text: "", kind: "repost", repostOf: `${author}-4` }),
    [`posts/${author}-1/comments/c1`]: { userId: blocked, ...now(), thread: `${author}/${author}`, text: theirs("comment") },
  });
  await system.idle();
}

test("nothing moves while a page loads, nor where the reader is when posts come", async ({ browser }) => {
  const me = await signUp(browser, "Still Standing", { baseURL: system.at.webURL });
  await seed(me.uid, system);
  const text = "Which of the two seed catalogues do you still get on paper?";
  await system.write({ [`posts/${me.uid}-1`]: post(me.uid, { text }), [`posts/${me.uid}-2`]: post("seed-1", { text: "A photo.", photo }) });
  await system.write({ [`posts/${me.uid}-1/likes/seed-3`]: { userId: "seed-3", ...now() } });
  await system.idle();
  const page = await me.page.context().newPage();
  await showPhoto(me);
  const shifts = await watchShifts(page);
  const moved: Record<string, number> = {};
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    for (const [path, last] of [
      ["feed", "article >> nth=15"],
      ["notifications", ".excerpt:text('seed catalogues')"],
      ["u/seed-5", "article >> nth=2"],
      ["people/followers", ".person .name >> nth=3"],
    ] as const) {
      await page.goto("about:blank");
      await page.goto(`/#/${path}`);
      await page.locator(last).waitFor();
      await named(page);
      moved[`${path} at ${width} px`] = await shifts();
    }
  }
  await page.goto("/#/feed");
  await page.locator("article >> nth=15").waitFor();
  await page.evaluate(() => window.scrollTo(0, 600));
  const before = await shifts();
  await system.write({ [`posts/${me.uid}-3`]: post("seed-4", { text: "Just now." }) });
  await page.getByRole("button", { name: "1 new post" }).waitFor();
  moved["a new post"] = (await shifts()) - before;
  console.log("layout shifts, at most 0.05:", moved);
  // On a phone, the names in notifications come later, and make a line more.
  expect(Object.entries(moved).filter(([where, by]) => by > (where === "notifications at 360 px" ? 0.1 : 0.05))).toEqual([]);
});

test("texts of others in the console", async ({ browser }) => {
  const [author, id] = ["console-zorro", `\u202e${mark}-id`];
  await write({
    [`users/${author}`]: person("author"),
    [`users/${id}`]: person("by id"),
    [`users/${author}/followers/${id}`]: now(),
    [`posts/${mark}\u202e1`]: post(author, { text: theirs("text"), to: [id] }),
  });
  const error = { code: theirs("code"), message: theirs("message"), at: new Date() };
  await enqueue(`test:${mark}\u202e`, { state: "failed", kind: theirs("kind"), chunk: 1, collection: theirs("posts"), error });
  await idle();
  const page = await open(browser, `/console/#author=${author}`);
  await page.getByLabel("Search authors").fill("zorro");
  const places = ".author .choice .name|.author .choice code|.author h3|.post .choice .name|.post .choice .muted.name|.post .choice code|.post h3";
  const more = ".relations .audience|.actions-list .what|.job .job-id|.job p.small|.job .why";
  const found = await check(page, "the console", `${places}|${more}`.split("|"));
  await page.getByRole("button", { name: "Play" }).click();
  found.push(...(await check(page, "the Play menu", ["#play button"])));
  expect(found).toEqual([]);
  expect(page.errors).toEqual([]);
});
