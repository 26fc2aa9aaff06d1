import { Timestamp } from "firebase/firestore";
import { expect, test } from "vitest";
import { type Job, job } from "../../src/console/data/documents.ts";
import { plain } from "../../src/shared/words.tsx";
import { attempt, grouped, inOrder, jobs, lease, phase, progress, progressOf, receipt, target } from "../../src/console/words/job.ts";

const noon = new Date("2026-01-02T12:00:00Z");
const at = (seconds: number) => Timestamp.fromMillis(noon.getTime() + seconds * 1000);
const made = (id: string, fields: Record<string, unknown>): Job => job(id, { kind: "relations.index", state: "queued", ...fields });

test("progress is a part where the total is known, and a number where not", () => {
  expect(progress(made("j", { state: "running", done: 40, total: 120 }))).toEqual({ done: 40, total: 120, part: 1 / 3, text: "40 of 120 documents" });
  expect(progress(made("j", { state: "running", done: 1, total: null }))).toMatchObject({ part: null, text: "1 document" });
  expect(progress(made("j", { state: "running", done: 0, total: 0 }))).toMatchObject({ part: 0, text: "0 of 0 documents" });
  expect(progress(made("j", { state: "running", done: 9, total: 7 }))).toMatchObject({ part: 1 });
  expect(progress(made("j", { state: "done", done: 300, total: null }))).toMatchObject({ part: 1, text: "300 documents" });
});

test("unfinished jobs come first, each kind the newest first", () => {
  const jobs = [
    made("old", { state: "done", finishedAt: at(-100) }),
    made("new", { state: "failed", finishedAt: at(-1) }),
    made("first", { state: "queued", createdAt: at(-90) }),
    made("second", { state: "running", createdAt: at(-10) }),
  ];
  expect(inOrder(jobs).map((j) => j.id)).toEqual(["second", "first", "new", "old"]);
});

test("the jobs of a post stand together, and one that failed before the others", () => {
  const all = [
    made("post:p~00251-", { state: "running", createdAt: at(-5) }),
    made("post:p~00001-00250", { state: "failed", finishedAt: at(-9) }),
    made("post:pq~00001-", { state: "running", createdAt: at(-7) }),
    made("index:p:00001", { createdAt: at(-6) }),
  ];
  expect(grouped(all).map((s) => [s.id, s.job.id, s.ranges.map((r) => r.id)])).toEqual([
    ["post:p~", "post:p~00001-00250", ["post:p~00001-00250", "post:p~00251-"]],
    ["index:p:00001", "index:p:00001", ["index:p:00001"]],
    ["post:pq~", "post:pq~00001-", ["post:pq~00001-"]],
  ]);
});

test("the progress of a post's jobs is their sum, of the post's index documents", () => {
  const range = (done: number) => made(`p~0${done}`, { state: "running", done, args: { documents: "30" } });
  const shown = (...ranges: Job[]) => ({ id: "p~", job: ranges[0] as Job, ranges });
  expect(progressOf(shown(range(10), range(5)))).toMatchObject({ part: 0.5, text: "15 of 30 documents" });
  expect(progressOf(shown(made("p~1", { done: 3 }), range(5)))).toMatchObject({ part: null, done: 8 });
  expect(progressOf(shown(made("p~1", { done: 3, total: 4 })))).toMatchObject({ part: 0.75 });
});

test("a lease shows its holder, its remaining time and the effect of its end", () => {
  const held = made("j", { state: "running", lease: { holder: "HOLDER", until: at(43) } });
  expect(plain(lease(held, noon))).toBe("lease of HOLDER, 43 s left");
  expect(lease(held, new Date(noon.getTime() + 60_000))).toContain("ran out: its step died");
  expect(lease(made("j", { wakeAt: at(12) }), noon)).toBe("tried again in 12 s");
  expect(lease(made("j", { wakeAt: at(-12) }), noon)).toBe("");
});

test("phase, attempt, jobs and receipt are shown if present", () => {
  expect([phase(made("j", { phase: 1, phases: 7 })), phase(made("j", { phase: 7, phases: 7 })), phase(made("j", { phases: 1 }))]).toEqual([
    "phase 2 of 7",
    "phase 7 of 7",
    "",
  ]);
  expect([attempt(made("j", {})), attempt(made("j", { attempt: 2 })), attempt(made("j", { attempt: 2, maxAttempts: 10 }))]).toEqual([
    "",
    "attempt 2",
    "attempt 2 of 10",
  ]);
  const ranges = [made("p~1", { state: "done" }), made("p~2", { state: "running" })];
  expect([jobs({ ranges: ranges.slice(1) }), jobs({ ranges }), jobs({ ranges: [...ranges.slice(0, 1), ...ranges.slice(0, 1)] })]).toEqual([
    "",
    "2 jobs, 1 unfinished",
    "2 jobs",
  ]);
  expect(plain(receipt({ relations: 1200, posts: 0, indexDocuments: 4 }))).toBe("4 index documents, 1,200 relations");
});

test("a job names its target", () => {
  const name = (uid: string) => ({ a1: "Ada" })[uid] ?? uid;
  expect(plain(target(made("j", { args: { author: "a1", index: "00002" } }), name))).toBe("relations of index document 00002 of Ada");
  expect(plain(target(made("j", { kind: "relations.post", args: { post: "p1" } }), name))).toBe("relations of post p1");
  expect(plain(target(made("j", { kind: "relations.purge", args: { author: "a1" } }), name))).toBe("everything of Ada");
  expect(plain(target(made("j", { kind: "relations.purge", args: null }), name))).toBe("an account that is gone");
  expect(plain(target(made("j", { kind: "damage", args: { author: "a1" } }), name))).toBe("damage that a repair of Ada mends");
  expect(plain(target(made("j", { kind: "bulk", collection: "posts" }), name))).toBe("posts");
});

test("an invalid job document is shown as failed, with its error", () => {
  const odd = job("odd", { state: "asleep", done: "many", total: "all", lease: 3, args: [], wakeAt: "soon" });
  expect(odd).toMatchObject({ state: "failed", done: 0, total: null, lease: null, args: {}, wakeAt: null });
  expect(odd.error?.message).toContain('state "asleep" is none of queued');
});
