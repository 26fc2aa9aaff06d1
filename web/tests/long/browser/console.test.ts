// The console in a real browser, beside a real system.
import { deleteDoc, doc, getDoc, increment, Timestamp, updateDoc } from "firebase/firestore";
import type { Locator, Page } from "playwright-core";
import { describe, expect } from "vitest";

import { openConsole, test } from "../../browser/browser.ts";
import { db, enqueue, follow, idle, profile, publish, register, unfollow, write } from "../../firestore.ts";
import { capacity } from "../../system.ts";

/** The bar of an index document: how full it is. */
const indexBar = (page: Page, id: string) => page.locator(`.index-documents [data-index="${id}"] [role=meter]`);

async function filled(page: Page, id: string, count: number): Promise<void> {
  const bar = indexBar(page, id);
  await bar.and(page.locator(`[aria-valuenow="${count}"]`)).waitFor();
  await expect.poll(() => bar.getAttribute("aria-valuetext")).toBe(`${count} of ${capacity}`);
  await expect.poll(() => bar.locator("span").getAttribute("style")).toContain(`width: ${(100 * count) / capacity}%`);
}

describe("authors and posts", () => {
  test("follows fill the bar of an index document, and open the next one", async ({ browser }) => {
    await register("filler", "Filler");
    const page = await openConsole(browser, "filler");
    await page.getByText("No followers yet").waitFor();
    await follow("filler", "f1", "f2", "f3");
    await filled(page, "00001", 3);
    await expect.poll(() => indexBar(page, "00002").count()).toBe(0);
    await follow("filler", "f4", "f5");
    await filled(page, "00001", 4);
    await filled(page, "00002", 1);
    // The newest is on top.
    await expect.poll(() => page.locator(".index-documents tbody th").allTextContents()).toEqual(["00002", "00001"]);
    await page.getByText("2 index documents, 5 followers").waitFor();
    expect(page.errors).toEqual([]);
  });

  test("relations of a post show the copied version, and are updated when it is old", async ({ browser }) => {
    await follow("copied", "f1", "f2", "f3", "f4", "f5");
    await idle();
    await publish("copied", 1, "To be copied");
    await idle();
    const page = await openConsole(browser, "copied");
    const versions = page.locator(".relations tbody td:nth-child(4)");
    await page.getByText("2 relations", { exact: true }).waitFor();
    await expect.poll(() => page.locator(".relations tbody th").allTextContents()).toEqual(["00002", "00001"]);
    const relation = doc(db, "_relations", "copied-000_00002");
    const version = (await getDoc(doc(db, "users/copied/followers_index/00002"))).get("version") as number;
    await updateDoc(relation, { indexVersion: 0 });
    await page.getByText("2 relations, 1 stale").waitFor();
    await expect.poll(() => versions.first().textContent()).toBe(`v 0 of …${String(version).slice(-4)}`);
    await follow("copied", "f6"); // sync finds it
    await page.getByText("2 relations", { exact: true }).waitFor();
    await expect.poll(() => versions.first().textContent()).toBe(`v …${String(version + 1).slice(-4)}`);
  });

  test("a post names its readers, and its relations name whose index documents they copy", async ({ browser }) => {
    await write({ "users/g_console": { ...profile("Console Team"), ownerId: "posts-there" }, "users/named": profile("Named") });
    await follow("g_console", "f1", "f2");
    await idle();
    await write({
      "posts/in-team": { userId: "posts-there", audience: "g_console", to: ["named", "f9"], hidden: false, createdAt: Timestamp.now(), text: "In the team" },
    });
    await idle();
    const page = await openConsole(browser, "posts-there");
    await page.locator(".post .choice", { hasText: "In the team" }).getByText("in Console Team, to Named and 1 more").waitFor();
    await page.getByText("2 relations", { exact: true }).waitFor();
    await expect.poll(() => page.locator(".relations tbody th").allTextContents()).toEqual(["00001", "direct"]);
    await page.locator(".relations tbody tr").first().getByText("Console Team").waitFor();

    await page.goto("/console/#author=g_console");
    await page.locator(".author h3", { hasText: "Console Team" }).waitFor();
    await page.locator(".author .detail-head").getByText("Group", { exact: true }).waitFor();
    await page.locator(".post .choice", { hasText: "In the team" }).waitFor(); // by somebody, in the group
    await updateDoc(doc(db, "posts/in-team"), { hidden: true });
    await page.locator(".post .choice").getByText("Hidden").waitFor();
    await page.getByText("No relations").waitFor();
    expect(page.errors).toEqual([]);
  });

  test("of many index documents the newest are shown, and the others counted", async ({ browser }) => {
    const many = Array.from({ length: 57 * capacity }, (_, n) => `f${n}`);
    await follow("popular", ...many);
    await idle();
    const page = await openConsole(browser, "popular");
    await page.getByText("… and 7 more").waitFor();
    const shown = await page.locator(".index-documents tbody th").allTextContents();
    expect([shown.length, shown[0], shown.at(-1)]).toEqual([50, "00057", "00008"]);
    await expect.poll(() => page.getByRole("button", { name: "57 index documents" }).count()).toBe(1);
  });

  test("names, texts and ids are text, whatever is in them, and long ones lose their middle", async ({ browser }) => {
    const evil = "<img src=x onerror=\"document.title='pwned'\">",
      long = "u".repeat(1400);
    await register(long, evil);
    await publish(long, 1, evil);
    await follow(long, evil.replaceAll("/", ""));
    await idle();
    const page = await openConsole(browser, long);
    await page.locator(".post .choice .name", { hasText: "<img src=x" }).waitFor();
    await page.locator(".author h3", { hasText: "<img src=x" }).waitFor();
    await page.locator(".action .what", { hasText: "<img" }).first().waitFor();
    expect(await page.title()).toBe("relationindex console");
    await expect.poll(() => page.locator("main img").count()).toBe(0);
    await page.getByLabel("Search authors").fill("uuuu"); // there may be more authors than are listed
    await expect.poll(() => page.locator(".author .choice[aria-current=true]").getAttribute("title")).toBe(long);
    await expect.poll(() => page.locator("main").innerText()).not.toContain("u".repeat(60));
    expect(page.errors).toEqual([]);
  });
});

describe("jobs", () => {
  /** Notes each value that an attribute of a job's bar has, from now on, also of jobs that are yet to come. It returns those of a row. */
  async function watched(page: Page, job: string, attribute: string): Promise<(row: Locator) => Promise<number[]>> {
    await page.evaluate(
      ([job, attribute]) => {
        const seen: Record<string, number[]> = {};
        Object.assign(window, { seen });
        new MutationObserver(() => {
          for (const row of document.querySelectorAll<HTMLElement>(job!)) {
            const value = Number(row.querySelector("[role=progressbar]")?.getAttribute(attribute!) ?? NaN),
              values = (seen[row.dataset["job"]!] ??= []);
            if (!Number.isNaN(value) && value !== values.at(-1)) values.push(value);
          }
        }).observe(document.body, { subtree: true, childList: true, attributes: true });
      },
      [job, attribute],
    );
    return async (row) =>
      page.evaluate((id) => (window as unknown as { seen: Record<string, number[]> }).seen[id] ?? [], (await row.getAttribute("data-job"))!);
  }

  test("a job's bar moves, and ends done", async ({ browser }) => {
    const page = await openConsole(browser, "busy");
    await register("busy", "Busy");
    await publish("busy", 120);
    const done = await watched(page, '[data-job="index:busy:00001"]', "data-done");
    await follow("busy", "first");
    const row = page.locator('[data-job="index:busy:00001"]');
    await row.and(page.locator("[data-state=done]")).waitFor();
    await row.getByText("120 documents").waitFor();
    const values = await done(row);
    expect(values.at(-1)).toBe(120);
    expect(values.filter((v) => v > 0 && v < 120).length).toBeGreaterThan(2);
    expect(values).toEqual(values.toSorted((a, b) => a - b));

    // A purge knows how much there is to do.
    const purge = page.locator('[data-kind="relations.purge"]');
    const part = await watched(page, '[data-kind="relations.purge"]', "aria-valuenow");
    await deleteDoc(doc(db, "users", "busy"));
    const parts = await part(purge.and(page.locator("[data-state=done]")));
    expect(parts.at(-1)).toBe(100);
    expect(parts.filter((v) => v > 0 && v < 100).length).toBeGreaterThan(2);
    await purge.getByText(/receipt: .*120 posts, 120 relations/).waitFor();
    await idle();
  });

  test("the jobs of a post are shown as one, each with its range", async ({ browser }) => {
    const page = await openConsole(browser, "wide");
    await follow("wide", ...Array.from({ length: 110 * capacity }, (_, n) => `f${n}`));
    await idle();
    const part = await watched(page, '[data-job="post:wide-000~"]', "aria-valuenow");
    await publish("wide", 1);
    const row = page.locator('[data-job="post:wide-000~"]');
    await row.getByText(/\d of 110 documents/).waitFor();
    await row.and(page.locator("[data-state=done]")).waitFor();
    await row.getByText("110 of 110 documents").waitFor();
    await expect.poll(() => row.getByRole("list", { name: "Ranges" }).getByRole("progressbar").count()).toBe(4);
    const parts = await part(row);
    expect(parts.at(-1)).toBe(100);
    expect(parts.some((v) => v > 0 && v < 100)).toBe(true);
    await idle();
  });

  test("a failed job says why, and Retry lets it go on", async ({ browser }) => {
    await publish("broken", 3);
    await follow("broken", "f1");
    await idle();
    // Somebody has damaged the index document that the job is about: what would lose followers waits for a person.
    const index = doc(db, "users", "broken", "followers_index", "00001");
    await updateDoc(index, { followers: "nobody", version: increment(1) });
    const id = "index:broken:00001";
    await enqueue(id, { kind: "relations.index", args: { author: "broken", index: "00001" }, phases: 2, maxAttempts: 1 });
    const page = await openConsole(browser, "broken");
    const row = page.locator(`[data-job="${id}"]`),
      retry = row.getByRole("button", { name: `Retry ${id}` });
    await row.getByText(/Unknown: .*damaged document/).waitFor();
    await expect.poll(() => row.locator(".badge").textContent()).toBe("failed");

    // As it is, it fails again.
    await retry.click();
    await row.getByText("hop 1").waitFor();
    await idle();
    await row.and(page.locator("[data-state=failed]")).waitFor();
    // Mended, it goes on.
    await updateDoc(index, { followers: ["f1"] });
    await retry.click();
    await row.and(page.locator("[data-state=done]")).waitFor();
    await row.getByText("3 documents").waitFor();
    await expect.poll(() => retry.count()).toBe(0);
  });

  test("the console shows the result of a retry, and the reason of a rejection", async ({ browser }) => {
    const id = "index:refused:00001";
    await enqueue(id, { kind: "no.such.kind", state: "failed", wakeAt: null, error: { code: "Unknown", message: "so it is" } });
    const page = await openConsole(browser);
    const row = page.locator(`[data-job="${id}"]`);
    await row.getByText("Unknown: so it is").waitFor();
    let answer = () => {};
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route("**/dev/jobs/**", async (route) => {
      expect(route.request().headers()["content-type"]).toBe("application/json");
      expect(decodeURIComponent(route.request().url())).toContain(id);
      await held;
      await route.fulfill({ status: 409, json: { error: { message: "it has nothing left to do" } } });
    });
    const retry = row.getByRole("button");
    await retry.click();
    await expect.poll(() => retry.isDisabled()).toBe(true);
    answer();
    await row.getByText("it has nothing left to do").waitFor();
    await expect.poll(() => retry.isDisabled()).toBe(false);
    await page.route("**/dev/jobs/**", (route) => route.fulfill({ json: { message: "it is queued" } }));
    await retry.click();
    await row.getByText("it is queued").waitFor();
  });
});

describe("actions", () => {
  test("the line of a follow has the cost that functions/cost_test.go asserts", async ({ browser }) => {
    const n = 20;
    await register("costly", "Costly");
    const page = await openConsole(browser, "costly");
    await publish("costly", n);
    const line = (words: string) => page.locator(".action:not(.growing) .line", { hasText: words });
    const cost = async (words: string): Promise<Record<string, number>> => {
      await line(words).waitFor();
      const text = (await line(words).textContent())!;
      expect(text).toMatch(/ — \d+ reads, \d+ writes, (\d+ deletes?, )?\d+ invocations?, [\d.]+ m?s$/);
      return Object.fromEntries([...text.matchAll(/(\d+) (read|write|delete|invocation)/g)].map(([, value, kind]) => [kind, Number(value)]));
    };
    await cost("Costly posts"); // what comes now is another action
    await follow("costly", "one");
    const opens = await cost("one follows Costly");
    expect(opens["write"]).toBe(n + 4);
    await follow("costly", "two");
    const second = await cost("two follows Costly");
    expect([second["write"], second["delete"]]).toEqual([n + 2, undefined]);
    expect(second["read"]).toBeGreaterThan(0);
    expect(second["read"]).toBeLessThanOrEqual(2 * n + 8);
    await unfollow("costly", "two");
    const third = await cost("two unfollows Costly");
    expect([third["write"], third["delete"]]).toEqual([n + 3, 1]);
    // Names, not ids, and the paths for who wants them.
    await expect.poll(() => page.locator(".action", { hasText: "two follows Costly" }).getAttribute("title")).toBe("users/costly/followers/two created");
  });

  test("the Play menu reports its action and shows the author concerned", async ({ browser }) => {
    const page = await openConsole(browser);
    await page.getByRole("button", { name: "Play" }).click();
    await page.getByRole("button", { name: "20 accounts follow Ada" }).click();
    await page.getByText("20 accounts follow Ada.", { exact: true }).waitFor();
    await filled(page, "00005", 4);
    await page.locator(".action:not(.growing)", { hasText: /follow Ada; and 15 more/ }).waitFor(); // what comes now is another action
    await page.getByRole("button", { name: "Ada posts" }).click();
    await page.getByText("Ada posts.", { exact: true }).waitFor();
    await page.locator(".action .line", { hasText: /^Ada posts — \d+ reads, 5 writes/ }).waitFor();
    await page.getByRole("button", { name: "5 accounts unfollow Ada" }).click();
    await page.getByText("5 accounts unfollow Ada.", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Delete an account that follows Ada" }).click();
    await page.getByText("5 index documents, 14 followers").waitFor();
    await idle();
  });

  test("with many actions, a wide page does not scroll, but its panels do", async ({ browser }) => {
    const page = await openConsole(browser, "tall");
    await follow("tall", ...Array.from({ length: 20 * capacity }, (_, n) => `f${n}`));
    await page.getByText("20 index documents, 80 followers").waitFor();
    await page.locator(".action:not(.growing)", { hasText: "follow tall" }).waitFor();
    for (let n = 0; n < 6; n++) {
      await unfollow("tall", `f${n}`);
      await page.locator(".action:not(.growing)", { hasText: `f${n} unfollows tall` }).waitFor();
    }
    const scrolls = (node: Element) => node.scrollHeight > node.clientHeight;
    expect(await page.locator("html").evaluate(scrolls)).toBe(false);
    expect(await page.getByRole("region", { name: "Index documents" }).evaluate(scrolls)).toBe(true);
  });

  test("the console reports an ended stream and opens a new one", async ({ browser }) => {
    const page = await openConsole(browser);
    await page.locator(".indicator.idle").waitFor();
    await page.route("**/dev/actions", (route) => route.fulfill({ status: 200, contentType: "text/event-stream", body: ": and that was it\n\n" }));
    await page.reload();
    await page.getByText("The dev server has ended.").waitFor();
    await page.locator(".indicator.disconnected").waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Play" }).isDisabled()).toBe(true);
    await page.unroute("**/dev/actions");
    await page.locator(".indicator.idle").waitFor();
    await expect.poll(() => page.getByText("The dev server has ended.").isVisible()).toBe(false);
    await expect.poll(() => page.getByRole("button", { name: "Play" }).isDisabled()).toBe(false);
  });
});
