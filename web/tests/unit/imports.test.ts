// What is imported is named in package.json, with its version: what another package happens to bring may go with it.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

import { root } from "../system.ts";

const web = join(root, "web");

test("every package that is imported is named", () => {
  const files = ["src", "tests"].flatMap((folder) => readdirSync(join(web, folder), { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)));
  const imported = new Set<string>();
  for (const file of [...files, "vite.config.ts", "vitest.config.ts"].filter((file) => file.endsWith(".ts"))) {
    for (const [, name = ""] of readFileSync(join(web, file), "utf8").matchAll(/^(?:import (?:.* from )?|export .* from |\} from )"((?:@[\w-]+\/)?[\w-]+)[^"]*";$/gm)) {
      imported.add(name);
    }
  }
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(web, "package.json"), "utf8"));
  const named = Object.keys({ ...dependencies, ...devDependencies });
  expect(imported.size).toBeGreaterThan(4);
  expect([...imported].filter((name) => name !== "node" && !named.includes(name))).toEqual([]);
});
