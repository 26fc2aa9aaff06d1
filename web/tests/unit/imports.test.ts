// Every imported package is named in package.json, with its version: a package that only another one installs may go with it. And the
// package client/ stands alone, while the pages reach Firestore by it.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

import { root } from "../system.ts";

const web = join(root, "web");

const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => join(folder, file));

/** The imports of a file, and for each whether it is of types alone. */
const importsOf = (file: string) =>
  [...readFileSync(file, "utf8").matchAll(/^(?:(import type|import|export)(?: .*? from)? |\} from )"([^"]+)";$/gms)].map(([, how, from = ""]) => ({
    from,
    types: how === "import type",
  }));

const packageOf = (from: string) => /^(?:@[\w-]+\/)?[\w-]+/.exec(from)?.[0];

test("every package that is imported is named", () => {
  const files = [...filesOf(join(web, "src")), ...filesOf(join(web, "tests")), join(web, "vite.config.ts"), join(web, "vitest.config.ts")];
  const imported = new Set(files.flatMap(importsOf).flatMap(({ from }) => packageOf(from) ?? []));
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(web, "package.json"), "utf8"));
  const named = ["node", "relationindex-client", ...Object.keys({ ...dependencies, ...devDependencies })];
  expect(imported.size).toBeGreaterThan(4);
  expect([...imported].filter((name) => !named.includes(name))).toEqual([]);
});

test("the package client imports the SDK and itself, and React in one file", () => {
  const files = filesOf(join(root, "client", "src"));
  expect(files.length).toBeGreaterThan(20);
  for (const file of files) {
    const allowed = file.endsWith("/react.ts") ? ["firebase", "react"] : ["firebase"];
    for (const { from } of importsOf(file)) expect(/^\.\/[\w-]+\.ts$/.test(from) || allowed.includes(packageOf(from) ?? ""), `${file}: ${from}`).toBe(true);
  }
});

test("pages use Firestore only through the package, except the console's views of function documents", () => {
  const firestore = (file: string) => importsOf(file).some(({ from, types }) => from === "firebase/firestore" && !types);
  expect(filesOf(join(web, "src", "app")).filter(firestore)).toEqual([]);
  expect(filesOf(join(web, "src", "shared")).filter(firestore)).toEqual([]);
  const ofConsole = filesOf(join(web, "src", "console")).filter(firestore);
  expect(ofConsole.length).toBeGreaterThan(0);
  expect(ofConsole.filter((file) => !file.includes(join("console", "data")))).toEqual([]);
});
