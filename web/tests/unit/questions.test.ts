// Answers about the items of a page: what is asked, and when. The clock and the page are fakes here.
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { Questions } from "../../../client/src/questions.ts";
import { nobody } from "../me.ts";

const network = new EventTarget();
let asked: string[][];
/** What the server answers; null: nothing. */
let answers: string | null;
let questions: Questions<string>;

beforeEach(() => {
  [asked, answers] = [[], "yes"];
  vi.useFakeTimers();
  vi.stubGlobal("window", network);
  questions = new Questions(nobody, 3, (ids) => {
    asked.push(ids);
    return answers === null ? Promise.reject(new Error("offline")) : Promise.resolve(new Map(ids.map((id) => [id, answers!])));
  });
});
afterEach(() => {
  questions.close();
  expect(vi.getTimerCount()).toBe(0);
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const after = (ms: number) => vi.advanceTimersByTimeAsync(ms).then(() => asked.splice(0));
const back = () => network.dispatchEvent(new Event("online"));

test("items of the same moment are asked together, and once", async () => {
  for (const id of ["a", "b", "c", "d", "a"]) questions.of(id);
  expect(await after(0)).toEqual([["a", "b", "c"], ["d"]]);
  expect(questions.of("a").get()).toBe("yes");
  expect(await after(0)).toEqual([]);
});

test("what somebody looks at is asked again when the page is looked at again, after a minute", async () => {
  const stop = questions.of("a").subscribe(() => {});
  questions.of("b");
  await after(0);
  back();
  expect(await after(59_000)).toEqual([]);
  answers = "no";
  await after(1_000);
  back();
  expect(await after(0)).toEqual([["a"]]);
  expect([questions.of("a").get(), questions.of("b").get()]).toEqual(["no", "yes"]);
  stop();
  await after(60_000);
  back();
  expect(await after(0)).toEqual([]);
});

test("without an answer nothing is known, until the network returns", async () => {
  answers = null;
  const value = questions.of("a");
  value.subscribe(() => {});
  expect(await after(0)).toEqual([["a"]]);
  expect(value.get()).toBeUndefined();
  answers = "yes";
  back();
  expect(await after(0)).toEqual([["a"]]);
  expect(value.get()).toBe("yes");
});

test("an act is newer than an answer on its way, and what it replaced returns when it is rejected", async () => {
  const value = questions.of("a");
  await questions.change("a", "mine", () => Promise.resolve());
  await after(0);
  expect(value.get()).toBe("mine");
  await expect(questions.change("a", "another", () => Promise.reject(new Error("denied")))).rejects.toThrow("denied");
  expect(value.get()).toBe("mine");
});

test("an answer that nobody looks at is asked again when somebody looks at it a minute later", async () => {
  const look = () => questions.of("a").subscribe(() => {});
  look()();
  expect(await after(59_000)).toEqual([["a"]]);
  look()();
  expect(await after(1_000)).toEqual([]);
  const stay = look();
  expect(await after(0)).toEqual([["a"]]);
  look(); // it is shown already
  expect(await after(0)).toEqual([]);
  stay();
});
