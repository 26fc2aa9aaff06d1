// The statements of the quick starts that can be checked without a system.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

import { commandsOf, filesOf } from "../snippets/quickstart.ts";
import { root } from "../system.ts";

const read = (path: string) => readFileSync(join(root, path), "utf8");
const { dependencies, devDependencies } = JSON.parse(read("web/package.json"));
const client = JSON.parse(read("client/package.json"));
const packed = `${client.name}-*.tgz`;

test("plain JavaScript takes at most 60 lines", () => {
  const lines = filesOf("javascript.md")
    .get("app.js")!
    .split("\n")
    .filter((line) => line.trim());
  console.log(`app.js of the quick start: ${lines.length} lines (at most 60), the longest of ${Math.max(...lines.map((line) => line.length))} characters`);
  expect(lines.length).toBeLessThanOrEqual(60);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(140);
});

test("they name the versions that tests run, and the file that make client writes", () => {
  const install = `npm install ../relationindex/client/${packed}`;
  expect(commandsOf("javascript.md")).toContain(`${install} firebase@${dependencies.firebase} --save-exact`);
  expect(commandsOf("react.md")).toContain(install);
  const [oldest, newest] = [devDependencies["firebase-12"].split("@")[1], dependencies.firebase].map((version) => parseInt(version, 10));
  expect(client.peerDependencies.firebase).toBe(`>=${oldest} <${newest! + 1}`);
  expect(read("scripts/pack-client")).toContain(`${packed}\n`);
  expect(filesOf("javascript.md").get("index.html")).toContain(`/firebasejs/${dependencies.firebase}/firebase-app.js"`);
  const react = JSON.parse(read("examples/react/package.json"));
  expect({ ...dependencies, ...devDependencies }).toMatchObject({ ...react.dependencies, ...react.devDependencies });
});
