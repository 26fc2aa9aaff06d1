// What an app takes of the package client/, minified and compressed, without the SDK and React: it pays for what it imports.
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { build, type Rolldown } from "vite";
import { expect, test } from "vitest";

import { root } from "../system.ts";

const sources = join(root, "client", "src");

/** taken builds a module that exports some of the package, and returns its code. */
async function taken(code: string): Promise<string> {
  const { output } = (await build({
    configFile: false,
    logLevel: "error",
    plugins: [{ name: "entry", resolveId: (id) => (id === "virtual:entry" ? `\0${id}` : null), load: (id) => (id === "\0virtual:entry" ? code : null) }],
    build: {
      write: false,
      target: "es2022",
      minify: true,
      modulePreload: false,
      rolldownOptions: { input: "virtual:entry", preserveEntrySignatures: "strict", external: /^(firebase\/|react$)/ },
    },
  })) as Rolldown.RolldownOutput;
  expect(output.length).toBe(1);
  return (output[0] as Rolldown.OutputChunk).code;
}

test.each([
  ["follow", "{ follow }", "index.ts", 2_000],
  ["feed and Paged", "{ feed, Paged }", "index.ts", 8_000],
  ["all", "*", "index.ts", 16_500],
  ["all hooks", "*", "react.ts", 14_500],
])("%s", async (what, names, file, most) => {
  const code = await taken(`export ${names} from ${JSON.stringify(join(sources, file))};`);
  expect(code).toContain("firebase/firestore");
  const compressed = brotliCompressSync(code).length;
  console.log(
    `${what}: ${compressed.toLocaleString("en")} bytes minified and compressed (at most ${most.toLocaleString("en")}), ${code.length.toLocaleString("en")} minified`,
  );
  expect(compressed).toBeLessThanOrEqual(most);
});
