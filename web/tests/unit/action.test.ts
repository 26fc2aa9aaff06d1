import { expect, test } from "vitest";
import { type Action, type Change, parseAction, totals } from "../../src/console/data/actions.ts";
import { plain } from "../../src/shared/words.tsx";
import { cost, sentence } from "../../src/console/words/action.ts";

const collections = {
  users: "users",
  followers: "followers",
  followersIndex: "followers_index",
  following: "following",
  posts: "posts",
  relations: "_relations",
  jobs: "_functions",
  blocked: "blocked",
};
const known = { person: (uid: string) => ({ a1: "Ada", b1: "Bob" })[uid] ?? uid, author: (post: string) => (post === "p1" ? "a1" : undefined) };

function words(more: number, ...what: [document: string, change: Change["change"]][]): string {
  return sentence({ what: what.map(([document, change]) => ({ function: "", document, change })), more }, collections, known);
}

test.each([
  ["Bob follows Ada", "users/a1/followers/b1", "created"],
  ["Bob follows Ada again", "users/a1/followers/b1", "updated"],
  ["Bob unfollows Ada", "users/a1/followers/b1", "deleted"],
  ["Ada blocks Bob", "users/a1/blocked/b1", "created"],
  ["Ada unblocks Bob", "users/a1/blocked/b1", "deleted"],
  ["Ada posts", "posts/p1", "created"],
  ["Ada edits a post", "posts/p1", "updated"],
  ["Ada deletes a post", "posts/p1", "deleted"],
  ["An author deletes a post", "posts/p9", "deleted"],
  ["Ada signs up", "users/a1", "created"],
  ["Ada edits their profile", "users/a1", "updated"],
  ["Ada deletes their account", "users/a1", "deleted"],
  ["The group g_team opens", "users/g_team", "created"],
  ["The group g_team changes", "users/g_team", "updated"],
  ["The group g_team is deleted", "users/g_team", "deleted"],
  ["Bob follows g_team", "users/g_team/followers/b1", "created"],
  ["other/a/deep/b updated", "other/a/deep/b", "updated"],
] as const)("%s: %s %s", (said, document, change) => {
  expect(plain(words(0, [document, change]))).toBe(said);
});

test("people with the same action are named together, in event order", () => {
  expect(words(0, ["users/a1/followers/b1", "created"], ["users/a1/followers/cy", "created"])).toBe("Bob and cy follow Ada");
  expect(words(37, ["users/a1/followers/b1", "created"], ["users/a1/followers/cy", "created"], ["users/a1/followers/dee", "created"])).toBe(
    "Bob, cy and dee follow Ada; and 37 more",
  );
  expect(words(0, ["users/a1/followers/b1", "created"], ["users/b1/followers/a1", "created"], ["posts/p1", "created"])).toBe(
    "Bob follows Ada, Ada follows Bob, Ada posts",
  );
  expect(words(0, ["posts/p1", "updated"], ["posts/p1", "updated"])).toBe("Ada edits a post 2 times");
});

test("an action without a client is background work or a number of events", () => {
  expect(words(0)).toBe("Work in the background");
  expect(words(2)).toBe("2 events");
});

test("collections have the configured names", () => {
  const renamed = { ...collections, users: "people", followers: "fans" };
  expect(sentence({ what: [{ function: "", document: "people/a1/fans/b1", change: "created" }], more: 0 }, renamed, known)).toBe("Bob follows Ada");
});

test("a cost names deletes only where there are some", () => {
  const a = { reads: 3, writes: 22, deletes: 0, invocations: 4, durationMs: 12 };
  expect(cost(a)).toBe("3 reads, 22 writes, 4 invocations, 12 ms");
  expect(cost({ ...a, reads: 1, deletes: 1, durationMs: 1400 })).toBe("1 read, 22 writes, 1 delete, 4 invocations, 1.4 s");
});

test("a line of the stream is an action, or nothing", () => {
  const line =
    '{"id":7,"at":"2026-11-20T18:00:00Z","what":[{"function":"OnFollowerWritten","document":"users/ada/followers/bob","change":"created"}],"events":3,"reads":3,"writes":22,"deletes":0,"invocations":4,"durationMs":12,"done":true}';
  expect(parseAction(line)).toMatchObject({ id: 7, reads: 3, writes: 22, done: true, what: [{ document: "users/ada/followers/bob" }] });
  for (const other of ["", "{", "null", "[]", '"x"', '{"id":"7"}']) expect(parseAction(other)).toBeUndefined();
  expect(parseAction('{"id":8,"what":[null,{"document":3}]}')).toMatchObject({ id: 8, what: [], reads: 0, done: false });
});

test("totals are sums", () => {
  const a = (n: number) => ({ reads: n, writes: 2 * n, deletes: 0, invocations: 1 }) as Action;
  expect(totals([a(1), a(10)])).toEqual({ reads: 11, writes: 22, deletes: 0, invocations: 2 });
});
