import { describe, expect, test } from "vitest";

import { Timeline } from "../../../client/src/timeline.ts";

const limit = 3;

/** Posts are numbers: the greater, the newer. A live page is the newest three of what there is. */
const item = (n: number) => ({ id: `p${n}`, order: n.toFixed(1).padStart(8, "0") });
const top = (...all: number[]) =>
  all
    .sort((a, b) => b - a)
    .slice(0, limit)
    .map(item);

function timeline(...all: number[]) {
  const line = new Timeline<{ id: string; order: string }>(true);
  const now = (atTop: boolean, ...all: number[]) => line.setTop(top(...all), all.length >= limit, atTop);
  now(true, ...all);
  return { line, now, shown: () => line.shown.map(({ id }) => Number(id.slice(1))) };
}

describe("a timeline", () => {
  test("puts a new post in at once when the reader is at the top, and keeps what it pushes off the live page", () => {
    const { now, shown } = timeline(1, 2, 3);
    now(true, 1, 2, 3, 4);
    expect(shown()).toEqual([4, 3, 2, 1]);
  });

  test("keeps the pages below a live page that has no posts, but more below it", () => {
    const { line, shown } = timeline();
    line.setTop([], true, true);
    expect(line.more).toBe(true);
    line.append([item(2), item(1)], true);
    line.setTop([], true, true);
    expect(shown()).toEqual([2, 1]);
    line.setTop([item(3)], true, false);
    expect(shown()).toEqual([2, 1]);
    expect(line.waiting.map(({ id }) => id)).toEqual(["p3"]);
    line.setTop([], false, true);
    expect(shown()).toEqual([]);
  });

  test("removes the live page's posts when none of them may be read any more, and keeps those below", () => {
    const { line, shown } = timeline();
    line.setTop([item(4), item(3)], true, true);
    line.append([item(2), item(1)], true);
    line.setTop([], true, true);
    expect(shown()).toEqual([2, 1]);
    line.setTop([], true, true);
    expect(shown()).toEqual([2, 1]);
  });

  test("lets new posts wait when the reader is further down", () => {
    const { line, now, shown } = timeline(1, 2, 3);
    now(false, 1, 2, 3, 4, 5);
    expect(shown()).toEqual([3, 2, 1]);
    expect(line.waiting.map(({ id }) => id)).toEqual(["p5", "p4"]);
    line.show();
    expect(shown()).toEqual([5, 4, 3, 2, 1]);
    expect(line.waiting).toEqual([]);
  });

  test("removes a deleted post at once, at any scroll position", () => {
    const { line, now, shown } = timeline(2, 3, 4);
    line.append([item(1), item(0)], false);
    now(false, 0, 1, 2, 4);
    expect(shown()).toEqual([4, 2, 1, 0]);
    expect(line.waiting).toEqual([]);
  });

  test("takes everything away when nothing is left", () => {
    const { line, now, shown } = timeline(1, 2, 3);
    now(true);
    expect(shown()).toEqual([]);
    expect(line.more).toBe(false);
  });

  test("restarts when a gap between pages is possible", () => {
    const { line, now, shown } = timeline(1, 2, 3);
    now(true, 1, 2, 3, 4, 5, 6, 7);
    expect(shown()).toEqual([7, 6, 5]);
    expect(line.more).toBe(true);
  });

  test("restarts when a follow adds posts of any age", () => {
    const { line, now, shown } = timeline(10, 20, 30);
    line.append([item(5)], false);
    now(true, 5, 10, 20, 30, 25);
    expect(shown()).toEqual([30, 25, 20]);
    expect(line.more).toBe(true);
  });

  test("shows no post twice when pages overlap", () => {
    const { line, shown } = timeline(3, 4, 5);
    line.append([item(3), item(2)], false);
    expect(shown()).toEqual([5, 4, 3, 2]);
  });

  test("changes a post in place", () => {
    const { line } = timeline(1, 2);
    line.setTop([{ ...item(2), text: "new" } as never, item(1)], false, false);
    expect(line.shown[0]).toHaveProperty("text", "new");
  });

  test("loads more below its end when the live page grows, at any scroll position", () => {
    const { line, shown } = timeline(4, 5);
    expect(line.more).toBe(false);
    line.setTop([item(5), item(4), item(3), item(2)], true, false);
    expect(shown()).toEqual([5, 4, 3, 2]);
    expect(line.more).toBe(true);
    expect(line.waiting).toEqual([]);
  });

  test("moves a post that got another place, from the live page and from below, and keeps the pages", () => {
    const { line, shown } = timeline(3, 4, 5);
    line.append([item(2), item(1)], false);
    const lift = (n: number, to: number) => ({ ...item(n), order: item(to).order });
    line.setTop([lift(3, 6), item(5), item(4)], true, true);
    expect(shown()).toEqual([3, 5, 4, 2, 1]);
    line.setTop([lift(1, 7), lift(3, 6), item(5)], true, true);
    expect(shown()).toEqual([1, 3, 5, 4, 2]);
    expect(line.more).toBe(false);
    line.setTop([lift(1, 7), lift(2, 6.5), lift(3, 6)], true, true); // below a newer one
    expect(shown()).toEqual([1, 2, 3, 5, 4]);
  });

  test("keeps its order under a reader who is further down, until they ask", () => {
    const { line, shown } = timeline(3, 4, 5);
    line.append([item(2), item(1)], false);
    const lifted = { ...item(2), order: item(9).order, text: "new" };
    line.setTop([lifted, item(5), item(4)], true, false);
    expect(shown()).toEqual([5, 4, 3, 2, 1]);
    expect(line.shown[3]).toHaveProperty("text", "new");
    expect(line.waiting.map(({ id }) => id)).toEqual(["p2"]);
    line.show();
    expect(shown()).toEqual([2, 5, 4, 3, 1]);
    expect(line.waiting).toEqual([]);
  });

  /** Readers at the top, further down, and at the end of their pages; posts that come, and with all, go and come late. */
  function history(seed: number, all: number[], withAll: boolean): { shown: number[]; all: number[] } {
    const random = randomFrom(seed);
    const { line, now, shown } = timeline(...all);
    const next = () => {
      const below = all.filter((n) => n < (shown().at(-1) ?? Infinity)).sort((a, b) => b - a);
      line.append(below.slice(0, limit).map(item), below.length > limit);
    };
    for (let step = 0; step < 15; step++) {
      const what = random(withAll ? 5 : 3);
      const newest = Math.max(0, ...all);
      if (what === 0) all = [...all, ...Array.from({ length: 1 + random(5) }, (_, i) => newest + 1 + i)];
      if (what === 1) line.show();
      if (what === 2 && line.more) next();
      if (what === 3) all = all.filter(() => random(6) > 0);
      if (what === 4) all = [...new Set([...all, random(60) + 0.5])];
      now(random(2) === 0, ...all);
    }
    line.show();
    while (line.more) next();
    return { shown: shown(), all: all.sort((a, b) => b - a) };
  }

  test("has neither gap nor repeat down to its end, in 500 random histories of new posts", () => {
    for (let seed = 1; seed <= 500; seed++) {
      const { shown, all } = history(seed, [10, 20, 30, 40, 50], false);
      expect(shown, `seed ${seed}`).toEqual(all);
    }
  });

  test("has no repeat, is in order, and is right on its live page, in 500 random histories of all that happens to posts", () => {
    for (let seed = 1; seed <= 500; seed++) {
      const { shown, all } = history(seed, [10, 20, 30, 40, 50], true);
      expect(shown, `seed ${seed}`).toEqual([...new Set(shown)].sort((a, b) => b - a));
      expect(shown.slice(0, limit), `seed ${seed}`).toEqual(all.slice(0, limit));
    }
  });
});

/** A small generator of numbers below a bound, the same for the same seed. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor(state / 65_536) % Math.max(1, below);
  };
}
