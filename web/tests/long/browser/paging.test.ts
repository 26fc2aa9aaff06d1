import type { Browser } from "playwright-core";
import { describe, expect } from "vitest";

import { idle, profile, remove, write } from "../../firestore.ts";
import { type Person, readFrom, signUp, test } from "../../browser/browser.ts";

/** An author with 47 posts, whom me follows. Some posts have the same time. */
async function follow47(me: Person): Promise<string> {
  const author = `pages-${me.uid}`;
  await write({ [`users/${author}`]: profile("Paged Author"), [`users/${author}/followers/${me.uid}`]: { createdAt: new Date() } });
  await idle();
  await numbered(
    author,
    Array.from({ length: 47 }, (_, i) => i + 1),
  );
  return author;
}

const long = Date.now() - 3_600_000;
const numbered = async (author: string, numbers: number[]) => {
  await write(
    Object.fromEntries(
      numbers.map((n) => [`posts/${author}-${n}`, { userId: author, createdAt: new Date(long + Math.floor(n / 3) * 10_000), text: `Post number ${n}.` }]),
    ),
  );
  await idle();
};

/** The numbers of the posts that are shown, from above. */
const numbers = (me: Person) =>
  me.page.locator("ul.list article .post-text").evaluateAll((all) => all.map((p) => Number(/number (\d+)/.exec(p.textContent ?? "")?.[1])));

async function toTheEnd(me: Person): Promise<number[]> {
  const more = me.page.getByRole("button", { name: /^Load(ing|…| older)/ });
  while ((await more.count()) > 0) {
    const before = (await numbers(me)).length;
    await me.page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    await me.page.waitForFunction(
      (n) => document.querySelectorAll("ul.list article .post-text").length > n || !document.querySelector(".list-end button"),
      before,
    );
  }
  return numbers(me);
}

for (const way of ["the direct query", "Feed"]) {
  describe(`the feed, by ${way}`, () => {
    const begin = async (browser: Browser, name: string) => {
      const me = await signUp(browser, name);
      if (way === "Feed") await readFrom(me.page, "feed");
      return me;
    };

    test("has every post down to its end, each once, also those of the same time", async ({ browser }) => {
      const me = await begin(browser, "Pager");
      const answers = new Map<number, number>();
      let asked = 0; // whether there is news: while there is none, nothing else is
      me.page.on("response", (answer) => {
        const { pathname, searchParams } = new URL(answer.url());
        if (pathname !== "/Feed") return;
        answers.set(answer.status(), (answers.get(answer.status()) ?? 0) + 1);
        if (searchParams.has("news")) asked++;
      });
      await follow47(me);
      if (way === "Feed") await me.page.reload(); // what came late, with an older time, is no news
      // The first page may have been read while the posts arrived: six times three are on each first page of 20.
      await expect.poll(async () => (await numbers(me)).sort((a, b) => b - a).slice(0, 18)).toEqual(Array.from({ length: 18 }, (_, i) => 47 - i));
      const all = await toTheEnd(me);
      expect([...all].sort((a, b) => b - a)).toEqual(Array.from({ length: 47 }, (_, i) => 47 - i));
      if (way === "Feed") {
        const before = asked;
        await expect.poll(() => asked).toBeGreaterThan(before);
      }
      expect([...answers.keys()].filter((status) => status >= 400)).toEqual([]);
      expect(me.page.errors).toEqual([]);
    });

    test("adds new posts at the top at once, or on request while the reader is further down", async ({ browser }) => {
      const me = await begin(browser, "Watcher");
      const author = await follow47(me);
      await me.page.getByText("Post number 47.").waitFor();
      await numbered(author, [60]);
      await me.page.getByText("Post number 60.").waitFor();
      await me.page.evaluate(() => window.scrollTo(0, 900));
      const inView = me.page.getByText("Post number 40.");
      const before = await inView.boundingBox();
      await numbered(author, [70, 80, 90]);
      await me.page.getByRole("button", { name: "3 new posts" }).waitFor();
      await expect.poll(() => me.page.getByText("Post number 90.").count()).toBe(0);
      expect((await inView.boundingBox())?.y).toBe(before?.y); // nothing has jumped
      await me.page.getByRole("button", { name: "3 new posts" }).click();
      await me.page.getByText("Post number 90.").waitFor();
      expect((await numbers(me)).slice(0, 5)).toEqual([90, 80, 70, 60, 47]);
      // And what is deleted goes, wherever one is: at once, or with the next first page of Feed.
      await remove(`posts/${author}-80`);
      if (way === "Feed") await numbered(author, [100]);
      await me.page.getByText("Post number 80.").waitFor({ state: "detached" });
    });
  });
}

test("pages without posts are read on request, not one after the other", async ({ browser }) => {
  const me = await signUp(browser, "Patient");
  let asked = 0;
  await me.page.route("**/Feed?*", (route) => route.fulfill({ json: { posts: [], cursor: `empty-${++asked}` } }));
  await me.page.goto("/#/about/%23flooded");
  const older = me.page.getByRole("button", { name: "Load older" });
  await older.waitFor();
  // The button is in sight, and two frames later the observer has said so: nothing else is read.
  await me.page.evaluate(() => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))));
  expect(asked).toBe(6);
  await me.page.unroute("**/Feed?*");
  await me.page.route("**/Feed?*", (route) =>
    route.fulfill({ json: { posts: [{ id: "deep", userId: me.uid, createdAt: "2026-11-20T18:00:00Z", data: { text: "Deep down" } }] } }),
  );
  await older.click();
  await me.page.getByText("Deep down").waitFor();
  await older.waitFor({ state: "detached" });
  expect(me.page.errors).toEqual([]);
});
