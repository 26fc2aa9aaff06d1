// docs/tour.md shows what `make screenshots` makes, and nothing else.
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

import { root } from "../system.ts";
import { folder, pictures } from "../tour.ts";

const shots = join(root, "web", "tests", "screenshots");

/** made are the names of all pictures, as patterns. */
const made = readdirSync(shots)
  .filter((file) => file.endsWith(".shots.ts"))
  .flatMap((file) => [...readFileSync(join(shots, file), "utf8").matchAll(/shoot\([^;]*?"([a-z-]+)"[^;]*?\);/g)])
  .map(([, name]) => new RegExp(`^${name}-(360|1280)-(light|dark)\\.png$`));

test("each picture on the page is one that a shot makes", () => {
  const shown = pictures();
  expect(shown.length).toBeGreaterThan(15);
  expect(shown.filter((file) => !made.some((name) => name.test(file)))).toEqual([]);
  expect(new Set(shown).size).toBe(shown.length);
});

test("docs/tour has these pictures, small enough to load", () => {
  const files = readdirSync(folder);
  expect(files.sort()).toEqual(pictures().sort());
  const sizes = files.map((file) => statSync(join(folder, file)).size);
  expect(Math.max(...sizes)).toBeLessThan(150_000);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(2_000_000);
});
