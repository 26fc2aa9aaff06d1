// The colours of tokens.css, in light and in dark: texts have a contrast of 4.5 to 1 on whatever they stand, and borders of
// what one fills in 3 to 1 (WCAG 2.2, 1.4.3 and 1.4.11).
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

import { root } from "../system.ts";

const css = (file: string) => readFileSync(join(root, "web", "src", file), "utf8");
const tokens = new Map(
  [...css("shared/tokens.css").matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\);/g)].map(([, name, light, dark]) => [
    name!,
    { light: light!, dark: dark! },
  ]),
);

/** 0 for black, 1 for white. */
function luminance(colour: string): number {
  const [r, g, b] = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16) / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

function contrast(a: string, b: string): number {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high! + 0.05) / (low! + 0.05);
}

const grounds = ["bg", "surface", "raised", "sunken"];
const pairs: [string, number, string[]][] = [
  ["text", 4.5, [...grounds, "accent-soft"]],
  ["muted", 4.5, [...grounds, "accent-soft"]],
  ["accent", 4.5, [...grounds, "accent-soft"]],
  ["on-accent", 4.5, ["accent", "accent-strong"]],
  ["good", 4.5, ["surface", "good-soft"]],
  ["bad", 4.5, ["bg", "surface", "bad-soft"]],
  ["warn", 4.5, ["surface", "warn-soft"]],
  ["like", 4.5, [...grounds, "accent-soft"]],
  ["field", 3, grounds],
];

test("contrast of black and white is the maximum", () => {
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21);
  expect(contrast("#767676", "#ffffff")).toBeCloseTo(4.54, 2);
});

describe.for(["light", "dark"] as const)("in %s", (look) => {
  test.for(pairs)("%s has at least %d to 1", ([name, least, on]) => {
    for (const ground of on) expect(contrast(tokens.get(name)![look], tokens.get(ground)![look]), `${name} on ${ground}`).toBeGreaterThanOrEqual(least);
  });
});

test("a badge has a border of its text's colour", () => {
  expect(/\.badge \{[^}]*border: 1px solid currentColor/.test(css("shared/base.css"))).toBe(true);
});

test("form fields have the field border, and only the box around the search replaces it", () => {
  expect(/\.input \{[^}]*border: 1px solid var\(--field\)/.test(css("shared/base.css"))).toBe(true);
  expect(/\.search \{[^}]*border: 1px solid var\(--field\)/.test(css("app/app.css"))).toBe(true);
  const sheets = ["shared/base.css", "app/app.css", "console/layout.css", "console/panels.css"].flatMap((file) => css(file).split("}"));
  const fainter = sheets
    .filter((rule) => /(input|textarea|select)[^{]*\{[^{]*border(-color)?: /.test(rule) && !/var\(--(field|bad|accent)\)/.test(rule))
    .map((rule) => rule.split("{")[0]!.trim());
  expect(fainter).toEqual([".search input"]);
});
