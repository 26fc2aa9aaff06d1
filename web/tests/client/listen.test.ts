// Listeners go on after an error: the rules of a database of its own reject everything, and then do not.
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { Badge, type Me, OwnCounts, Paged, Reader, relationsFeed, watchAccount, watchPost, writePost } from "relationindex-client";

import { backoff, listenDoc } from "../../../client/src/listen.ts";
import { withOwnPosts } from "../../../client/src/own-posts.ts";
import { userPath } from "../../../client/src/paths.ts";
import { at, client, profile, write } from "../firestore.ts";
import { account, meOf, Session } from "../me.ts";
import { rules } from "../rules/lane.ts";

const project = "listen";
const owner = client("owner", project);

async function load(content: string): Promise<void> {
  const answer = await fetch(`http://${at.firestoreHost}/emulator/v1/projects/${project}:securityRules`, {
    method: "PUT",
    body: JSON.stringify({ rules: { files: [{ name: "firestore.rules", content }] } }),
  });
  if (!answer.ok) throw new Error(await answer.text());
}
const closed = 'rules_version = "2"; service cloud.firestore { match /databases/{database}/documents/{any=**} { allow read: if false; } }';
const reject = () => load(closed);
const allow = () => load(rules["firestore.rules"]);

const post = { userId: "ada", audience: "ada", hidden: false, createdAt: new Date(), text: "Hello" };

beforeAll(() =>
  write(
    {
      "users/ada": { ...profile("Ada"), counts: { followers: 3 } },
      "users/ada/notifications/like.p": { verb: "like", object: "p", count: 1, actors: ["bob"], at: new Date() },
      "users/ada/settings/feed": { seenAt: new Date(), hide: ["x/y"], show: [] },
      "posts/p": post,
    },
    owner,
  ),
);

/** The waits that the package asked for, in ms; each takes a hundredth of its time. */
const waits: number[] = [];
function hurry(): void {
  waits.length = 0;
  const set = globalThis.setTimeout;
  vi.stubGlobal("setTimeout", (run: () => void, ms: number, ...rest: unknown[]) => {
    const ours = /\/client\/src\/listen/.test(new Error().stack?.split("\n")[2] ?? "");
    if (ours) waits.push(ms);
    return set(run, ours ? ms / 100 : ms, ...(rest as []));
  });
}
afterEach(() => void vi.unstubAllGlobals());

test("the badge, own numbers, the reader, own posts and a watched account go on after errors", async () => {
  await reject();
  hurry();
  const me = account("ada", { counts: true }, project);
  const [badge, counts, reader] = [new Badge(me), new OwnCounts(me), new Reader(me)];
  const own = new Paged(withOwnPosts(me, { me, first: (changed) => (changed({ items: [], more: false }), () => {}), after: () => Promise.resolve(null) }));
  own.subscribe(() => {});
  const names: string[] = [],
    errors: string[] = [];
  const stop = watchAccount(
    me,
    "ada",
    (found) => names.push(found?.name ?? ""),
    (error) => errors.push((error as { code?: string } & Error).code ?? error.message),
  );
  await expect.poll(() => errors.length).toBeGreaterThan(1);
  expect(new Set(errors)).toEqual(new Set(["permission-denied"]));
  expect([names, badge.unseen.get(), counts.state.get(), reader.settings.get()]).toEqual([[], 0, null, { hide: [], show: [] }]);

  await allow();
  await expect.poll(() => [names.at(-1), badge.unseen.get(), counts.state.get()?.followers, reader.settings.get().hide]).toEqual(["Ada", 1, 3, ["x/y"]]);
  const id = await writePost(me, { text: "Mine" });
  await expect.poll(() => own.state.get().items).toMatchObject([{ id, own: true, post: { text: "Mine", sending: false } }]);
  stop();
  for (const one of [badge, counts, reader, own]) one.close();
});

test("a listener waits longer after each error, and not all clients the same time", async () => {
  for (let errors = 1; errors < 10; errors++) {
    const least = Math.min(60_000, 1_000 * 2 ** errors);
    const some = Array.from({ length: 50 }, () => backoff(errors));
    expect(Math.min(...some)).toBeGreaterThanOrEqual(least);
    expect(Math.max(...some)).toBeLessThanOrEqual(1.5 * least);
    expect(new Set(some).size).toBeGreaterThan(10);
  }
  await allow();
  await write({ "posts/hidden": { ...post, hidden: true } }, owner);
  hurry();
  let told = 0;
  const stop = watchPost(account("bob", {}, project), "hidden", (found) => {
    expect(found).toBeNull();
    told++;
  });
  // A post that may not be read is asked for six times, and no more.
  await expect.poll(() => told).toBe(6);
  await new Promise((resolve) => setTimeout(resolve, 1_500)); // the longest wait, in hundredths
  expect(told).toBe(6);
  expect(waits.length).toBe(5);
  waits.forEach((wait, n) => expect(wait / (2_000 * 2 ** n)).toBeGreaterThanOrEqual(1));
  stop();
});

/** Counts how often a listener begins that is always rejected. */
function rejected(me: Me): { count: () => number; stop: () => void } {
  let errors = 0;
  const stop = listenDoc(
    me,
    userPath(me.db, "ada"),
    () => {},
    () => void errors++,
  );
  return { count: () => errors, stop };
}

test("while the page is hidden, or another account is signed in, no listener begins again", async () => {
  await reject();
  hurry();
  const page = Object.assign(new EventTarget(), { visibilityState: "visible" });
  vi.stubGlobal("document", page);
  const auth = new Session("ada"),
    me = meOf(client({ sub: "ada" }, project), "ada", { auth });
  const { count, stop } = rejected(me);
  const quiet = async () => {
    await new Promise((resolve) => setTimeout(resolve, 1_000)); // one that waits has begun again, and was rejected
    const before = count();
    await new Promise((resolve) => setTimeout(resolve, 2_000)); // more than the longest wait
    expect(count()).toBe(before);
    return before;
  };
  await expect.poll(count).toBeGreaterThan(0);
  page.visibilityState = "hidden";
  const hidden = await quiet();
  page.visibilityState = "visible";
  page.dispatchEvent(new Event("visibilitychange"));
  await expect.poll(count).toBeGreaterThan(hidden);

  auth.signIn("bob");
  const other = await quiet();
  auth.signIn("ada");
  await expect.poll(count).toBeGreaterThan(other);
  stop();
  const ended = count();
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(count()).toBe(ended);
});

test("one post that fails does not hold back the page", async () => {
  await allow();
  const relation = (id: string, n: number) => ({ postId: id, userId: "ada", audience: "ada", createdAt: new Date(1000 * n), followers: ["bob"] });
  await write(
    {
      "posts/good": { ...post, text: "Good" },
      "posts/bad": { ...post, text: "Bad" },
      "_relations/good_00001": relation("good", 2),
      "_relations/bad_00001": relation("bad", 1),
    },
    owner,
  );
  const decode = (data: Record<string, unknown>) => {
    if (data["text"] === "Bad") throw new Error("this post is bad");
    return data;
  };
  const list = new Paged(relationsFeed(meOf(client({ sub: "bob" }, project), "bob", { post: decode })));
  const errors: (string | undefined)[] = [];
  list.subscribe(({ error }) => void errors.push(error?.message));
  await expect.poll(() => list.state.get().items.map(({ id }) => id)).toEqual(["good"]);
  expect(errors).toContain("this post is bad");
  list.close();
});
