// What the account does while answers are on their way, and while nobody looks.
import { afterEach, expect, test, vi } from "vitest";
import { Accounts, endpointFeed, type Me, type Page, Paged, type Source, Value } from "relationindex-client";

import { Questions } from "../../../client/src/questions.ts";
import { meOf as meWith } from "../me.ts";

const meOf = (config: object = {}, more: object = {}) => meWith({} as never, "me", { config, ...more });

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("questions: renders while the answer is on its way", async () => {
  vi.useFakeTimers();
  let n = 0;
  const q = new Questions<string>(meOf(), 30, async (ids) => {
    n++;
    await new Promise((r) => setTimeout(r, 300));
    return new Map(ids.map((id) => [id, "x"]));
  });
  const value = q.of("a");
  value.subscribe(() => {});
  for (let i = 0; i < 6; i++) {
    q.of("a");
    await vi.advanceTimersByTimeAsync(40);
  }
  await vi.advanceTimersByTimeAsync(1000);
  expect(n).toBe(1);
});

test("value: a watcher that watches", () => {
  let begun = 0;
  const value = new Value(0, () => {
    begun++;
    return () => {};
  });
  const heard: number[] = [];
  value.subscribe(() => {
    if (heard.push(1) === 1) value.subscribe(() => {});
  });
  expect(begun).toBe(1);
});

test("value: what begins calls watchers, and one of them stops", () => {
  const heard: string[] = [];
  const value: Value<number> = new Value(0, () => {
    heard.push("begins");
    value.set(1);
    return () => heard.push("ends");
  });
  const stop: (() => void)[] = [];
  stop.push(value.subscribe((now) => now === 1 && value.subscribe(() => {})()));
  expect(heard).toEqual(["begins"]);
  stop[0]!();
  expect(heard).toEqual(["begins", "ends"]);
  value.subscribe(() => {})();
  expect(heard).toEqual(["begins", "ends", "begins", "ends"]);
});

test("endpoint: an act while the look of an earlier one is on its way", async () => {
  vi.useFakeTimers();
  let version = 1;
  const pages: number[] = [];
  vi.stubGlobal("fetch", async (address: string) => {
    const { searchParams } = new URL(address);
    if (searchParams.has("news")) return new Response(JSON.stringify({ news: false }));
    pages.push(Date.now());
    const v = version;
    await new Promise((r) => setTimeout(r, 400));
    return new Response(JSON.stringify({ posts: [{ id: `p${v}`, userId: "a", createdAt: "2026-11-20T18:00:00Z", data: { text: String(v) } }] }), {
      headers: { etag: String(v) },
    });
  });
  const me = meOf({ feedURL: "https://example.com/Feed" });
  const list = new Paged(endpointFeed(me));
  list.subscribe(() => {});
  await vi.advanceTimersByTimeAsync(1000);
  version = 2;
  me.acts.feed();
  await vi.advanceTimersByTimeAsync(1600); // its look began at 1.5 s
  version = 3;
  me.acts.feed();
  await vi.advanceTimersByTimeAsync(60_000);
  const now = list.state.get().items[0]!.id;
  list.close();
  expect(now).toBe("p3");
});

test("endpoint: ref undefined", async () => {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (address: string) => {
    asked.push(address);
    return new Response(JSON.stringify({ posts: [] }));
  });
  const me = meOf({ feedURL: "https://example.com/Feed" });
  const list = new Paged(endpointFeed(me, { ref: undefined } as never));
  list.subscribe(() => {});
  await new Promise((r) => setTimeout(r, 20));
  list.close();
  expect(asked[0]).not.toContain("undefined");
});

test("endpoint: a body that never comes", async () => {
  vi.useFakeTimers();
  let n = 0;
  vi.stubGlobal("fetch", async (_: string, { signal }: RequestInit) => {
    n++;
    return new Response(
      new ReadableStream({
        start(c) {
          signal!.addEventListener("abort", () => c.error(signal!.reason));
        },
      }),
    );
  });
  const me = meOf({ feedURL: "https://example.com/Feed" });
  const list = new Paged(endpointFeed(me));
  const heard: string[] = [];
  list.subscribe(({ status }) => heard.push(status));
  await vi.advanceTimersByTimeAsync(600_000);
  const last = list.state.get().status;
  list.close();
  expect([last, n > 1]).toEqual(["error", true]);
});

type I = { id: string; order: string; post: { text: string } };
const fake = (me: Me) => {
  let say: (page: Page<I>) => void = () => {};
  const source: Source<I> = {
    me,
    pathOf: ({ id }) => `posts/${id}`,
    first: (changed) => ((say = changed), () => {}),
    lags: true,
    after: async () => ({ items: [item("a", "1")], more: false }),
  };
  return { source, say: (items: I[], more = false) => say({ items, more }) };
};
const item = (id: string, order = id, text = ""): I => ({ id, order, post: { text } });

test("paged: what went and came back", () => {
  const me = meOf(),
    { source, say } = fake(me),
    list = new Paged(source);
  list.subscribe(() => {});
  say([item("ada", "1")]);
  me.acts.gone("posts/ada"); // unfollow
  say([]);
  me.acts.back("posts/ada");
  say([item("ada", "2")]);
  expect(list.state.get().items.map(({ id }) => id)).toEqual(["ada"]);
});

test("paged: an edit, then the same page again", () => {
  const me = meOf(),
    { source, say } = fake(me),
    list = new Paged(source);
  list.subscribe(() => {});
  say([item("a", "1", "old")]);
  me.acts.changed("posts/a", { text: "new" });
  say([item("b", "2", ""), item("a", "1", "old")]); // another post comes, this one's copy is not yet new
  expect(list.state.get().items.map(({ post }) => post.text)).toEqual(["", "new"]);
});

test("paged: acts while nobody watches", async () => {
  const me = meOf(),
    { source, say } = fake(me),
    list = new Paged(source);
  const stop = list.subscribe(() => {});
  say([item("b", "2")], true);
  await list.loadMore();
  stop();
  me.acts.gone("posts/a");
  list.subscribe(() => {});
  say([item("b", "2")], true);
  expect(list.state.get().items.map(({ id }) => id)).toEqual(["b"]);
});

test("accounts: a strict decoder and an id that is none", async () => {
  const me = meOf(
    {},
    {
      account: () => {
        throw new Error("strict");
      },
    },
  );
  let threw = false;
  try {
    await new Accounts(me).get("a/b").catch(() => {});
  } catch {
    threw = true;
  }
  expect(threw).toBe(false);
});

test("paged: an act counts once, and not for what has come since", () => {
  const me = meOf();
  const { source, say } = fake(me);
  const list = new Paged({ ...source, lags: false });
  list.subscribe(() => {});
  const texts = () => list.state.get().items.map(({ id, post }) => `${id} ${post.text}`);
  say([item("b", "2"), item("a", "1")]);
  me.acts.gone("posts/b");
  say([item("a", "1")]);
  me.acts.changed("posts/a", { text: "1" });
  expect(texts()).toEqual(["a 1"]);
  say([item("b", "3"), item("a", "1", "of another device")]); // b is there again
  me.acts.changed("posts/a", { hidden: true });
  me.acts.gone("posts/c");
  expect(texts()).toEqual(["b ", "a of another device"]);
});

test("endpoint: a list that is closed while the token comes asks nothing", async () => {
  let asked = 0;
  vi.stubGlobal("fetch", async (_: string, { signal }: RequestInit) => {
    signal!.throwIfAborted();
    asked++;
    return new Response(JSON.stringify({ posts: [] }));
  });
  new Paged(endpointFeed(meOf({ feedURL: "https://example.com/Feed" }))).subscribe(() => {})();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(asked).toBe(0);
});

test("questions: while an act is under way, only acts change the item", async () => {
  vi.useFakeTimers();
  const questions = new Questions<string>(meOf(), 30, async (ids) => new Map(ids.map((id) => [id, "answer"])));
  const value = questions.of("a");
  value.subscribe(() => {});
  await vi.advanceTimersByTimeAsync(0);
  let end = () => {};
  const act = questions.change("a", "mine", () => new Promise((resolve) => (end = resolve)));
  questions.of("b");
  questions.put("a", "of another list");
  await vi.advanceTimersByTimeAsync(120_000);
  questions.of("a");
  await vi.advanceTimersByTimeAsync(0);
  expect(value.get()).toBe("mine");
  end();
  await act;
  questions.put("a", "of another list");
  expect(value.get()).toBe("of another list");
  questions.close();
});
