// What the quick starts say, as far as it can be checked without a system.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

import { commandsOf, filesOf, snippetsFor, untyped } from "../snippets/quickstart.ts";
import { root } from "../system.ts";

const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, "web/package.json"), "utf8"));

test("their functions are those of docs/clients/web.md", async () => {
  const [javascript, react] = [filesOf("javascript.md"), filesOf("react.md")];
  expect(javascript.get("feed.js")).toBe(await untyped(snippetsFor(javascript)));
  expect(react.get("feed.ts")).toBe(snippetsFor(react));
});

test("they name the versions that tests run", () => {
  expect(commandsOf("javascript.md")).toContain(`npm install firebase@${dependencies.firebase}`);
  expect(filesOf("javascript.md").get("index.html")).toContain(`/firebasejs/${dependencies.firebase}/firebase-app.js"`);
  const react = JSON.parse(filesOf("react.md").get("package.json")!);
  expect({ ...dependencies, ...devDependencies }).toMatchObject({ ...react.dependencies, ...react.devDependencies });
});
