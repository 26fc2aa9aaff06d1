import { expect, test } from "vitest";
import { person } from "../../src/console/data/documents.ts";
import { matching } from "../../src/console/words/people.ts";

const people = [
  person("u1", { name: "Bob" }),
  person("u2", {}),
  person("u3", { name: "Ada", followers_index: ["00001", "00002"] }),
  person("u4", { name: "Cy", followers_index: ["00001"] }),
  person("u5", { name: "ann" }),
];
const found = (text: string) => matching(people, text).map((p) => p.id);

test("people with the most index documents come first, others by name", () => {
  expect(found("")).toEqual(["u3", "u4", "u5", "u1", "u2"]);
});

test("a name is found by a part of it, in capitals or not, and a uid too", () => {
  expect(found(" AD ")).toEqual(["u3"]);
  expect(found("u2")).toEqual(["u2"]);
  expect(found("zzz")).toEqual([]);
});
