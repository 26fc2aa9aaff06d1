// Rules of docs/recipes/push.md, beside ours.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

import { root } from "../system.ts";
import { Lane, rules } from "./lane.ts";
import { create, get } from "./operations.ts";

test("with the rules of docs/recipes/push.md, only its owner has a contact", async () => {
  const page = readFileSync(join(root, "docs", "recipes", "push.md"), "utf8");
  const [, contacts] = /```js\n([^]*?)```/.exec(page)!;
  const lane = await Lane.open("rules-recipes", "firestore.rules");
  await lane.load(rules["firestore.rules"].replace("    match /users/{userId} {", (users) => contacts! + users));
  const may = (what: string, who: "stranger" | "author" | "signed-out", operation: Parameters<Lane["allows"]>[0]["operation"]) => lane.allows({ document: "contacts", what, who, operation });
  const tokens = { tokens: ["a", "b"] };
  expect(await may("create", "stranger", () => create("contacts/ada", tokens))).toBe(false);
  expect(await may("create", "signed-out", () => create("contacts/ada", tokens))).toBe(false);
  expect(await may("create", "author", () => create("contacts/ada", { tokens: Array(11).fill("t") }))).toBe(false);
  expect(await may("create", "author", () => create("contacts/ada", { ...tokens, email: "x" }))).toBe(false);
  expect(await may("create", "author", () => create("contacts/ada", tokens))).toBe(true);
  expect(await may("get", "author", () => get("contacts/ada"))).toBe(true);
  expect(await may("get", "stranger", () => get("contacts/ada"))).toBe(false);
  await lane.close();
});
