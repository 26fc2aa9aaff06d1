// The requests of endpointFeed, and their times: the network is a fake here, the clock too. feed.test.ts has the real function.
import { type Entry, endpointFeed, type EndpointOptions, FeedError, Paged } from "relationindex-client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { db } from "../firestore.ts";
import { meOf, Session } from "../me.ts";

const post = (n: number) => ({ id: `p${n}`, userId: "ada", createdAt: `2026-11-20T18:00:${String(n).padStart(2, "0")}.5Z`, data: { text: `Post ${n}` } });
const answer = (body: unknown, headers: Record<string, string> = {}) => new Response(JSON.stringify(body), { headers });

/** Feed as the test has it: its posts, and whether it says no to the next requests. */
let feed: { posts: ReturnType<typeof post>[]; failure: (() => Response) | "network" | undefined };
/** The requests since the last call: "page", or "news" with its time; and "304" where that was the answer. */
let asked: string[];
/** What each request of the test had in its header Authorization. */
let tokens: string[];
let session: Session;
/** The page, or the network, and who listens to it. */
class Heard extends EventTarget {
  visibilityState = "visible";
  readonly listeners = new Set<unknown>();
  override addEventListener(...what: Parameters<EventTarget["addEventListener"]>): void {
    this.listeners.add(what[1]);
    super.addEventListener(...what);
  }
  override removeEventListener(...what: Parameters<EventTarget["removeEventListener"]>): void {
    this.listeners.delete(what[1]);
    super.removeEventListener(...what);
  }
}
const page = new Heard();
const network = new Heard();
let list: Paged<Entry> | undefined;

beforeEach(() => {
  feed = { posts: [post(2), post(1)], failure: undefined };
  [asked, tokens, session] = [[], [], new Session("me")];
  page.visibilityState = "visible";
  vi.useFakeTimers();
  vi.stubGlobal("document", page);
  vi.stubGlobal("window", network);
  vi.stubGlobal("fetch", async (address: string, { headers }: { headers: Record<string, string> }) => {
    const { searchParams } = new URL(address);
    tokens.push(headers["Authorization"]!);
    const [news, etag] = [searchParams.get("news"), `W/"${feed.posts.length}"`];
    const about = ["ref", "source", "cursor"]
      .flatMap((name) => searchParams.get(name) ?? [])
      .map((value) => ` ${value}`)
      .join("");
    asked.push(news === null ? `page${about}` : `news ${news} ${searchParams.get("limit")}${about}`);
    if (feed.failure === "network") throw new TypeError("fetch failed");
    if (feed.failure) return feed.failure();
    if (news !== null) return answer({ news: feed.posts.some(({ createdAt }) => createdAt > news) });
    if (headers["If-None-Match"] === etag) {
      asked.push("304");
      return new Response(null, { status: 304 });
    }
    return answer({ posts: feed.posts }, { ETag: etag });
  });
});
afterEach(() => {
  list?.close();
  expect(vi.getTimerCount()).toBe(0);
  expect([page.listeners.size, network.listeners.size, session.watchers.size]).toEqual([0, 0, 0]);
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const account = () => meOf(db, "me", { auth: session, config: { feedURL: "http://feed.test" } });

async function open(options: EndpointOptions = {}, me = account()): Promise<Paged<Entry>> {
  list = new Paged(endpointFeed(me, options));
  list.subscribe(() => {});
  await vi.advanceTimersByTimeAsync(0);
  return list;
}
const look = () => asked.splice(0);
const after = (ms: number) => vi.advanceTimersByTimeAsync(ms).then(look);
const ids = () => list!.state.get().items.map(({ id }) => id);
const show = (state: "visible" | "hidden") => {
  page.visibilityState = state;
  page.dispatchEvent(new Event("visibilitychange"));
};
const newest = "2026-11-20T18:00:02.5Z";

test("without news, the client sends one request every 30 seconds", async () => {
  await open();
  expect(look()).toEqual(["page"]);
  expect(tokens).toEqual(["Bearer token of me"]);
  expect(ids()).toEqual(["p2", "p1"]);
  expect(await after(29_000)).toEqual([]);
  expect(await after(91_000)).toEqual(Array(4).fill(`news ${newest} 1`));
  feed.posts = [post(3), ...feed.posts];
  expect(await after(30_000)).toEqual([`news ${newest} 1`, "page"]);
  expect(ids()).toEqual(["p3", "p2", "p1"]);
  expect(await after(30_000)).toEqual(["news 2026-11-20T18:00:03.5Z 1"]);
});

test("every tenth poll reads the page, to find deleted posts", async () => {
  await open();
  look();
  feed.posts = [post(2)];
  expect(await after(270_000)).toEqual(Array(9).fill(`news ${newest} 1`));
  expect(ids()).toEqual(["p2", "p1"]);
  expect(await after(30_000)).toEqual(["page"]);
  expect(ids()).toEqual(["p2"]);
  expect(await after(30_000)).toEqual([`news ${newest} 1`]);
});

test("polls have the page's query and the configured interval", async () => {
  await open({ ref: "#frost", every: 5_000 });
  expect(await after(5_000)).toEqual(["page #frost", `news ${newest} 1 #frost`]);
  list!.close();
  await open({ source: "pull" });
  expect(await after(30_000)).toEqual(["page pull", `news ${newest} 1 pull`]);
});

test("each request has a token of App Check, where there is one", async () => {
  const checked: (string | undefined)[] = [];
  const answered = fetch;
  vi.stubGlobal("fetch", (address: string, options: { headers: Record<string, string> }) => {
    checked.push(options.headers["X-Firebase-AppCheck"]);
    return answered(address, options as RequestInit);
  });
  await open();
  list!.close();
  await open({ appCheck: async () => "of app check" });
  await after(30_000);
  expect(checked).toEqual([undefined, "of app check", "of app check"]);
});

test("a hidden page does not poll; it polls when shown and when the network returns", async () => {
  await open();
  look();
  show("hidden");
  expect(await after(600_000)).toEqual([]);
  network.dispatchEvent(new Event("online"));
  expect(await after(0)).toEqual([]);
  show("visible");
  expect(await after(0)).toEqual([`news ${newest} 1`]);
  network.dispatchEvent(new Event("online"));
  expect(await after(0)).toEqual([`news ${newest} 1`]);
  expect(await after(30_000)).toEqual([`news ${newest} 1`]); // one look, although three began it
});

test("an empty page is read again each time", async () => {
  feed.posts = [];
  await open();
  expect(await after(30_000)).toEqual(["page", "page", "304"]);
  expect(list!.state.get()).toMatchObject({ items: [], status: "ready", more: false });
});

test("refresh reads the first page at once, and again after a poll in progress", async () => {
  await open();
  look();
  list!.refresh();
  list!.refresh();
  expect(await after(0)).toEqual(["page", "304", "page", "304"]);
  feed.posts = [post(2)]; // post 1 is deleted: nothing is news
  list!.refresh();
  expect(await after(0)).toEqual(["page"]);
  expect(ids()).toEqual(["p2"]);
});

test("Feed of an earlier release, which answers with a page, is read each time", async () => {
  await open();
  look();
  feed.failure = () => answer({ posts: [post(2)], cursor: "x" });
  expect(await after(30_000)).toEqual([`news ${newest} 1`, "page"]);
});

for (const [name, failure, code, wait] of [
  ["the network is gone", "network", "unavailable", 30_000],
  ["a proxy answers with HTML", () => new Response("<html>", { status: 502 }), "unavailable", 30_000],
  ["what answers is no page", () => new Response("<html>"), "internal", 30_000],
  ["the token is not taken", () => Response.json({ error: { code: "unauthenticated", message: "expired" } }, { status: 401 }), "unauthenticated", 30_000],
  [
    "there were too many requests",
    () => Response.json({ error: { code: "resource-exhausted", message: "too many" } }, { status: 429, headers: { "Retry-After": "50" } }),
    "resource-exhausted",
    50_000,
  ],
] satisfies [string, (typeof feed)["failure"], string, number][]) {
  test(`when ${name}, the list stays, says so, and recovers`, async () => {
    await open();
    feed.failure = failure;
    await vi.advanceTimersByTimeAsync(30_000);
    const { error } = list!.state.get();
    expect(error).toBeInstanceOf(FeedError);
    expect(error).toMatchObject({ code });
    expect(ids()).toEqual(["p2", "p1"]);
    look();
    feed.failure = undefined;
    expect(await after(wait - 1)).toEqual([]);
    expect(await after(1)).toEqual([`news ${newest} 1`]);
    expect(list!.state.get().error).toBeNull();
  });
}

test("after close, no request is sent and no listener called, even by a response in progress", async () => {
  await open();
  look();
  let told = 0;
  list!.subscribe(() => told++);
  feed.posts = [post(3), post(2), post(1)];
  const refreshed = list!;
  refreshed.refresh();
  refreshed.close();
  expect(vi.getTimerCount()).toBe(0);
  expect(await after(600_000)).toEqual(["page"]);
  show("visible");
  network.dispatchEvent(new Event("online"));
  expect(await after(0)).toEqual([]);
  expect(told).toBe(1);
});

test("a cursor that Feed rejects restarts the list", async () => {
  const first = () => answer({ posts: feed.posts, cursor: "old" });
  feed.failure = first;
  await open();
  expect(list!.state.get().more).toBe(true);
  look();
  feed.failure = () => Response.json({ error: { code: "invalid-argument", message: "cursor" } }, { status: 400 });
  await list!.loadMore();
  expect(look()).toEqual(["page old"]);
  expect(list!.state.get()).toMatchObject({ moreError: null, loadingMore: false });
  expect(ids()).toEqual(["p2", "p1"]);
});

test("empty pages are skipped, below and at the top", async () => {
  const empty = (n: number) => answer({ posts: [], cursor: `empty-${n}` });
  const pages = (asks: string[]) => asks.map((one) => one.replace("page ", ""));
  feed.failure = () => answer({ posts: feed.posts, cursor: "empty-0" });
  await open();
  look();
  // Seven of them: five in the first call, and the others in the next.
  feed.failure = () => (asked.at(-1) === "page empty-7" ? answer({ posts: [post(0)] }) : empty(Number(asked.at(-1)!.split("-")[1]) + 1));
  await list!.loadMore();
  expect(pages(look())).toEqual([0, 1, 2, 3, 4, 5].map((n) => `empty-${n}`));
  expect(list!.state.get()).toMatchObject({ more: true, moreError: null });
  await list!.loadMore();
  expect(pages(look())).toEqual(["empty-6", "empty-7"]);
  expect(ids()).toEqual(["p2", "p1", "p0"]);
  list!.close();

  feed.failure = () => (asked.length > 1 ? answer({ posts: [post(1)] }) : empty(1));
  await open();
  expect(look()).toEqual(["page", "page empty-1"]);
  expect(ids()).toEqual(["p1"]);
});

test("a list goes on below a first page without posts, and reads it again only every five minutes", async () => {
  const empty = (n: number) => (n < 9 ? answer({ posts: [], cursor: `empty-${n}` }) : answer({ posts: [post(1)] }));
  const five = ["page", ...[1, 2, 3, 4, 5].map((n) => `page empty-${n}`)];
  feed.failure = () => empty(Number(asked.at(-1)!.split("-")[1] ?? 0) + 1);
  await open();
  expect(look()).toEqual(five);
  expect(list!.state.get()).toMatchObject({ items: [], status: "ready", more: true, barren: true });
  expect(await after(270_000)).toEqual([]);
  expect(await after(30_000)).toEqual(five);
  await list!.loadMore();
  expect(look()).toEqual([6, 7, 8].map((n) => `page empty-${n}`));
  expect(ids()).toEqual(["p1"]);
  expect(list!.state.get()).toMatchObject({ more: false, barren: false, moreError: null });

  // The next look finds the first page as it was, and leaves the posts below it.
  expect(await after(300_000)).toEqual(five);
  expect(ids()).toEqual(["p1"]);
  feed.failure = undefined; // somebody has deleted what was above
  expect(await after(300_000)).toEqual(["page"]);
  expect(ids()).toEqual(["p2", "p1"]);
});

test("the next poll reads a requested page that failed", async () => {
  await open();
  feed.failure = "network";
  list!.refresh();
  await vi.advanceTimersByTimeAsync(0);
  look();
  feed.failure = undefined;
  expect(await after(30_000)).toEqual(["page", "304"]);
});

test("Retry-After of Feed is kept, however often the page is shown", async () => {
  await open();
  feed.failure = () => Response.json({ error: { message: "too many" } }, { status: 429, headers: { "Retry-After": "60" } });
  await vi.advanceTimersByTimeAsync(30_000);
  look();
  feed.failure = undefined;
  for (let n = 0; n < 3; n++) {
    show("visible");
    list!.refresh();
    expect(await after(10_000)).toEqual([]);
  }
  expect(await after(30_000)).toEqual(["page", "304"]);
});

test("a missing token is reported as a Feed error", async () => {
  session.currentUser!.getIdToken = () => Promise.reject(new Error("auth/network-request-failed"));
  await open();
  expect(list!.state.get().error).toMatchObject({ code: "unavailable", message: "no token: auth/network-request-failed" });
});

test("when another account signs in, a list asks nothing, shows nothing of the other's, and goes on when its own is back", async () => {
  const me = account();
  const first = () => answer({ posts: feed.posts, cursor: "below" });
  feed.failure = first;
  await open({}, me);
  look();
  session.signIn("other");
  feed.failure = undefined;
  feed.posts = [post(3), ...feed.posts]; // the other may read it
  expect(await after(600_000)).toEqual([]);
  show("visible");
  network.dispatchEvent(new Event("online"));
  me.acts.feed();
  list!.refresh();
  await list!.loadMore();
  expect(await after(60_000)).toEqual([]);
  expect(ids()).toEqual(["p2", "p1"]);
  expect(list!.state.get().moreError).toMatchObject({ code: "unauthenticated" });
  session.signIn(null);
  expect(await after(60_000)).toEqual([]);

  session.signIn("me");
  expect(await after(0)).toEqual(["page"]);
  expect(ids()).toEqual(["p3", "p2", "p1"]);
  session.signIn("me"); // a new token
  expect(await after(30_000)).toEqual(["news 2026-11-20T18:00:03.5Z 1"]);
  expect(new Set(tokens)).toEqual(new Set(["Bearer token of me"]));
});

test("a list that is opened while another account is signed in begins when its own is back", async () => {
  session.signIn("other");
  await open();
  expect(await after(600_000)).toEqual([]);
  expect(list!.state.get()).toMatchObject({ status: "error", items: [], error: { code: "unauthenticated" } });
  session.signIn("me");
  expect(await after(0)).toEqual(["page"]);
  expect(list!.state.get()).toMatchObject({ status: "ready", error: null });
  expect(tokens).toEqual(["Bearer token of me"]);
});

test("after an act of the account the page is read a moment later, and once more if it had not changed by then", async () => {
  const me = account();
  await open({}, me);
  look();
  me.acts.feed();
  expect(await after(1_499)).toEqual([]);
  expect(await after(1)).toEqual(["page", "304"]);
  expect(await after(4_999)).toEqual([]);
  expect(await after(1)).toEqual(["page", "304"]);
  expect(await after(10_000)).toEqual([]);

  me.acts.feed();
  feed.posts = [post(3), ...feed.posts];
  expect(await after(1_500)).toEqual(["page"]);
  expect(await after(5_000)).toEqual([]);
  me.acts.feed(); // two acts, one look
  await after(1_000);
  me.acts.feed();
  expect(await after(1_499)).toEqual([]);
  expect(await after(1)).toEqual(["page", "304"]);
});

test("a closed list gives up the request that it has sent", async () => {
  let signal: AbortSignal | undefined;
  vi.stubGlobal("fetch", (_: string, options: RequestInit) => {
    signal = options.signal!;
    return new Promise((_, reject) => signal!.addEventListener("abort", () => reject(new Error("aborted"))));
  });
  await open();
  expect(signal!.aborted).toBe(false);
  list!.close();
  await vi.advanceTimersByTimeAsync(0);
  expect(signal!.aborted).toBe(true);
  expect(list!.state.get()).toMatchObject({ status: "loading", error: null });
});

test("after errors in a row, polls wait longer, and not all clients the same time", async () => {
  await open({ every: 1_000 });
  feed.failure = "network";
  const times: number[] = [];
  const answered = fetch;
  vi.stubGlobal("fetch", (...what: Parameters<typeof fetch>) => (times.push(Date.now()), answered(...what)));
  await vi.advanceTimersByTimeAsync(600_000);
  const waits = times.slice(1).map((time, n) => time - times[n]!);
  [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000].forEach((least, n) => {
    expect(waits[n]).toBeGreaterThanOrEqual(least);
    expect(waits[n]).toBeLessThanOrEqual(1.5 * least + 1);
  });
  expect(waits.every((wait) => wait % 1_000 === 0)).toBe(false);
});
