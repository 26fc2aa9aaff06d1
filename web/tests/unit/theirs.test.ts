import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

import { isolatedText, visibleText } from "relationindex-client";
import { plain } from "../../src/shared/words.tsx";
import { right, wrong } from "../names.ts";
import { root } from "../system.ts";

describe("text of others", () => {
  test("shows each character that would hide, or act on what is beside it", () => {
    for (const [what, character] of Object.entries({
      "a bidi override": "\u202e",
      "an embedding": "\u202a",
      "an isolate": "\u2067",
      "the end of one": "\u2069",
      "a mark of direction": "\u200f",
      "the Arabic one": "\u061c",
      "a space of no width": "\u200b",
      "a joiner": "\u200d",
      "a non-joiner": "\u200c",
      "a byte order mark": "\ufeff",
      "a soft hyphen": "\u00ad",
      "a word joiner": "\u2060",
      "a Hangul filler": "\u3164",
      "a blank of Braille": "\u2800",
      "a variation": "\ufe0e",
      "a tag": "\u{e0061}",
      "a null": "\0",
      "a line": "\n",
      "a tab": "\t",
      "a delete": "\x7f",
      "a separator of lines": "\u2028",
      "half a character": "\ud800",
      "an annotation": "\ufff9",
      "a next line": "\u0085",
    })) {
      expect(visibleText(`ad${character}a`), what).toBe("ad\ufffda");
      expect(plain(isolatedText(`${character}ada`)), what).toBe("\ufffdada");
    }
  });

  test("leaves what belongs to a language or an emoji", () => {
    for (const text of [...Object.keys(right), "佐藤 花子", "👩\u200d👩\u200d👧", "👩🏽\u200d🚀", "O’Brien", "#garden", "a  b"])
      expect(visibleText(text)).toBe(text);
  });

  test("shows where a name has what the rules refuse", () => {
    for (const [what, name] of Object.entries(wrong)) expect(visibleText(name), what).toContain("\ufffd");
  });

  test("is bounded, in its length and its height", () => {
    expect(visibleText("x".repeat(900_000))).toBe(`${"x".repeat(100)}…`);
    expect([...visibleText("👩".repeat(300))].length).toBe(101);
    expect(visibleText(`Z${"\u0301".repeat(50)}algo`)).toBe(`Z${"\u0301".repeat(3)}algo`);
  });

  test("cannot end its isolate, and nothing is isolated where there is nothing", () => {
    expect(isolatedText("a\u2069\u202eb\u2068")).toBe("\u2068a\ufffd\ufffdb\ufffd\u2069");
    expect(isolatedText("")).toBe("");
    expect(plain(`Block ${isolatedText("Ada")}?`)).toBe("Block Ada?");
  });
});

// JSX makes text nodes, and Words shows what is isolated.
test("no view writes HTML, or text past JSX", () => {
  const src = join(root, "web", "src");
  const found = readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .filter((file) =>
      /\.(textContent|innerText|innerHTML|outerHTML) \??=[^=]|insertAdjacent(HTML|Text)|createTextNode|dangerouslySetInnerHTML/.test(
        readFileSync(join(src, file), "utf8"),
      ),
    );
  expect(found.sort()).toEqual([]);
});
