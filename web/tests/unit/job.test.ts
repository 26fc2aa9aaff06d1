import { Timestamp } from "firebase/firestore";
import { expect, test } from "vitest";
import { type Job, job } from "../../src/console/data/documents.ts";
import { plain } from "../../src/shared/theirs.ts";
import { attempt, grouped, inOrder, lanes, lease, phase, progress, progressOf, receipt, target } from "../../src/console/words/job.ts";

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
    made("old", { state: "done", finishedAt: at(-100) }), made("new", { state: "failed", finishedAt: at(-1) }),
    made("first", { state: "queued", createdAt: at(-90) }), made("second", { state: "running", createdAt: at(-10) }),
  ];
  expect(inOrder(jobs).map((j) => j.id)).toEqual(["second", "first", "new", "old"]);
});

test("lanes stand with their parent, and alone without it", () => {
  const jobs = [
    made("p", { state: "running", lanes: 2, lanesOpen: 1, createdAt: at(-5) }),
    made("p~01", { lane: { parent: "p", from: "g", to: "" } }), made("p~00", { state: "done", lane: { parent: "p", from: "", to: "g" } }),
    made("lost~00", { createdAt: at(-9), lane: { parent: "lost", from: "", to: "" } }),
  ];
  expect(grouped(jobs).map((s) => [s.job.id, s.lanes.map((l) => l.id)])).toEqual([["p", ["p~00", "p~01"]], ["lost~00", []]]);
});

test("a parent's progress is that of its lanes, and its own when it is done or does not know them all", () => {
  const parent = made("p", { state: "running", lanes: 2, lanesOpen: 1, done: 10, total: 10 });
  const lane = (done: number, total: number | null) => made(`p~0${done}`, { state: "running", done, total, lane: { parent: "p" } });
  expect(progressOf({ job: parent, lanes: [lane(10, 10), lane(5, 20)] })).toMatchObject({ part: 0.5, text: "15 of 30 documents" });
  expect(progressOf({ job: parent, lanes: [lane(10, 10), lane(0, null)] })).toMatchObject({ part: null, done: 10 });
  expect(progressOf({ job: parent, lanes: [lane(10, 10)] })).toMatchObject({ part: 1 });
  expect(progressOf({ job: { ...parent, state: "done", done: 30, total: 30 }, lanes: [lane(10, 10), lane(5, 20)] })).toMatchObject({ text: "30 of 30 documents" });
});

test("a lease says who holds it and for how long, and what its end means", () => {
  const held = made("j", { state: "running", lease: { holder: "HOLDER", until: at(43) } });
  expect(plain(lease(held, noon))).toBe("lease of HOLDER, 43 s left");
  expect(lease(held, new Date(noon.getTime() + 60_000))).toContain("ran out: its step died");
  expect(lease(made("j", { wakeAt: at(12) }), noon)).toBe("tried again in 12 s");
  expect(lease(made("j", { wakeAt: at(-12) }), noon)).toBe("");
});

test("phase, attempt, lanes and receipt are said where there are some", () => {
  expect([phase(made("j", { phase: 1, phases: 7 })), phase(made("j", { phase: 7, phases: 7 })), phase(made("j", { phases: 1 }))]).toEqual(["phase 2 of 7", "phase 7 of 7", ""]);
  expect([attempt(made("j", {})), attempt(made("j", { attempt: 2 })), attempt(made("j", { attempt: 2, maxAttempts: 10 }))]).toEqual(["", "attempt 2", "attempt 2 of 10"]);
  expect([lanes(made("j", {})), lanes(made("j", { lanes: 3, lanesOpen: 1 })), lanes(made("j", { lanes: 3 }))]).toEqual(["", "3 lanes, 1 unfinished", "3 lanes"]);
  expect(plain(receipt({ relations: 1200, posts: 0, indexDocuments: 4 }))).toBe("4 index documents, 1,200 relations");
});

test("a job names its target", () => {
  const name = (uid: string) => ({ a1: "Ada" })[uid] ?? uid;
  expect(plain(target(made("j", { args: { author: "a1", index: "00002" } }), name))).toBe("relations of index document 00002 of Ada");
  expect(plain(target(made("j", { kind: "relations.post", args: { post: "p1" } }), name))).toBe("relations of post p1");
  expect(plain(target(made("j", { kind: "relations.purge", args: { author: "a1" } }), name))).toBe("everything of Ada");
  expect(plain(target(made("j", { kind: "relations.purge", args: null }), name))).toBe("an account that is gone");
  expect(plain(target(made("j", { kind: "bulk", collection: "posts" }), name))).toBe("posts");
});

test("a document that is no job is shown as failed, with what is wrong", () => {
  const odd = job("odd", { state: "asleep", done: "many", total: "all", lease: 3, args: [], wakeAt: "soon", lane: "left" });
  expect(odd).toMatchObject({ state: "failed", done: 0, total: null, lease: null, args: {}, wakeAt: null, lane: null });
  expect(odd.error?.message).toContain('state "asleep" is none of queued');
});
