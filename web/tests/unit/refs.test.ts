import { expect, test } from "vitest";
import { refsOf, tagsOf } from "relationindex-client";

test.each([
  ["Frost on the #Allotment", ["#allotment"]],
  ["#one #two, #one!", ["#one", "#two"]],
  ["#jardín and (#größe)", ["#jardín", "#größe"]],
  ["No. 7, a#b, page.html#part, &#39; # alone", []],
  [`#${"x".repeat(51)}`, []],
])("the names in %s", (text, names) => {
  expect(tagsOf(text)).toEqual(names);
});

test("a post is about its page first, and about ten things at most", () => {
  const many = Array.from({ length: 12 }, (_, n) => `#n${n}`).join(" ");
  expect(refsOf(many, ["g_team"])).toEqual(["g_team", ...Array.from({ length: 9 }, (_, n) => `#n${n}`)]);
  expect(refsOf("Again #garden", ["#garden"])).toEqual(["#garden"]);
});
