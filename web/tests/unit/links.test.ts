import { describe, expect, test } from "vitest";

import { type Part, partsOf, shownAddress } from "../../src/app/views/links.ts";

const urlsIn = (text: string) => partsOf(text).flatMap(({ url }) => url ?? []);
const textOf = (parts: Part[]) => parts.map(({ text }) => text).join("");

describe("an address in a text", () => {
  test.each([
    ["https://example.com", ["https://example.com/"]],
    ["See http://example.com/a?b=c#d.", ["http://example.com/a?b=c#d"]],
    ["HTTPS://EXAMPLE.com/A", ["https://example.com/A"]],
    ["one https://a.example/, two https://b.example!", ["https://a.example/", "https://b.example/"]],
    ["(https://example.com/x)", ["https://example.com/x"]],
    ["(see https://example.com/a_(b)).", ["https://example.com/a_(b)"]],
    ["https://example.com/[1](2)", ["https://example.com/[1](2)"]],
    ["[a](https://example.com/))]", ["https://example.com/"]],
    [
      '"https://example.com/x" and “https://example.com/y” and <https://example.com/z>',
      ["https://example.com/x", "https://example.com/y", "https://example.com/z"],
    ],
    ["**https://example.com/x**…", ["https://example.com/x"]],
    ["看https://example.com/a。很好（https://example.com/b）", ["https://example.com/a", "https://example.com/b"]],
    ["https://example.com/x\nhttps://example.com/y", ["https://example.com/x", "https://example.com/y"]],
    ["https://example.com/#tag and no #one", ["https://example.com/#tag"]],
    ["xhttps://example.com, example.com, ftp://example.com, mailto:a@example.com", []],
    ["https://, https://. http://[", []],
  ])("is found in %s", (text, urls) => {
    expect(urlsIn(text)).toEqual(urls);
    expect(textOf(partsOf(text))).toBe(text);
  });

  test("is no script, and no misleading host", () => {
    for (const text of [
      "javascript:alert(1)",
      "JaVaScRiPt://https://x",
      "data:text/html,<script>",
      "vbscript:x",
      "https:javascript:alert(1)",
      "https://bank.example@evil.example/",
      "https://a:b@evil.example",
      "https:// evil.example",
    ]) {
      expect(
        urlsIn(text).filter((url) => !/^https?:\/\/x\/?$/.test(url)),
        text,
      ).toEqual([]);
    }
    for (const url of urlsIn(
      "https://a.example/javascript:alert(1) https://evil.example\\@bank.example https://evil.example/\u202egpj.exe https://ba\u200bnk.example",
    )) {
      expect(url).toMatch(/^https:\/\/(a|evil|bank)\.example\/[\x21-\x7e]*$/);
    }
  });

  test("is not cut, and neither is a #name", () => {
    const text = `Before https://example.com/long/path and #garden after`;
    for (let end = 0; end <= text.length; end++) {
      const shown = textOf(partsOf(text, end));
      const inside = [
        [7, 36],
        [41, 48],
      ].find(([from, to]) => end > from! && end < to!);
      expect(shown).toBe(text.slice(0, inside?.[1] ?? end));
    }
  });

  test("costs no more than its characters, whatever they are", () => {
    const million = 1_000_000;
    for (const [what, text] of Object.entries({
      "one address": `https://${"x".repeat(million)}`,
      brackets: `https://a.example/${"(".repeat(1_000)}${")".repeat(900)}${".".repeat(50)} `.repeat(500),
      punctuation: `https://a.example${".".repeat(million)}`,
      schemes: "https://".repeat(million / 8),
      "schemes and spaces": "https:// ".repeat(million / 9),
      addresses: "https://a.b ".repeat(million / 12),
      names: "#a ".repeat(million / 3),
      signs: "#".repeat(million),
      "long names": `#${"a".repeat(60)}`.repeat(million / 61),
      nothing: "x".repeat(million),
      spaces: " ".repeat(million),
    })) {
      const begin = performance.now();
      const parts = partsOf(text);
      expect(performance.now() - begin, what).toBeLessThan(2_000); // some 50 ms; the machine may be busy
      expect(textOf(parts) === text, what).toBe(true);
      expect(parts.length, what).toBeLessThanOrEqual(1_001);
    }
  });
});

test("#names are links as they are refs", () => {
  expect(partsOf("#Garden, a#b and #größe!")).toEqual([
    { text: "#Garden", tag: "#garden" },
    { text: ", a#b and " },
    { text: "#größe", tag: "#größe" },
    { text: "!" },
  ]);
});

describe("an address is shown", () => {
  test.each([
    ["https://example.com/", "example.com"],
    ["http://example.com/a", "http://example.com/a"],
    ["https://example.com:8080/a?b=c", "example.com:8080/a?b=c"],
    ["https://de.wikipedia.org/wiki/Gr%C3%B6%C3%9Fe", "de.wikipedia.org/wiki/Größe"],
    ["https://example.com/one/two/three/four/five/six/seven", "example.com/one/two/three…five/six/seven"],
    ["https://аpple.com/", "xn--pple-43d.com"], // its first letter is Cyrillic
    ["https://example.com/\u202egpj.exe", "example.com/%E2%80%AEgpj.exe"],
    ["https://example.com/a%20b%00%E2%80%8B", "example.com/a%20b%00%E2%80%8B"],
    ["https://example.com/\u3164", "example.com/\ufffd"],
    ["https://example.com/%E0%A4%A", "example.com/%E0%A4%A"],
    ["https://evil.example\\@bank.example", "evil.example/@bank.example"],
    [`https://accounts.bank.example.${"x".repeat(50)}.evil.example/`, `…${"x".repeat(27)}.evil.example`],
  ])("%s as %s", (url, shown) => {
    expect(shownAddress(new URL(url).href)).toBe(shown);
  });
});
