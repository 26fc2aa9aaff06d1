import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const client = (file: string) => fileURLToPath(new URL(`../client/src/${file}`, import.meta.url));

/** Resolves the package client/ to its sources. It has no packages of its own: the pages and the client share one SDK. */
export const resolve = {
  alias: [
    { find: /^relationindex-client$/, replacement: client("index.ts") },
    { find: /^relationindex-client\/react$/, replacement: client("react.ts") },
  ],
  dedupe: ["firebase", "react"],
};

// Two pages: the app at /, the console at /console/. The built files are committed and embedded in the binary
// (embed.go), so that nobody needs Node to run `relationindex dev`.
export default defineConfig({
  resolve,
  build: {
    outDir: "dist",
    target: "es2022",
    chunkSizeWarningLimit: 700,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: { app: "index.html", console: "console/index.html" },
      // Code that both pages share: the SDK, which changes only with an update, and our own code.
      output: {
        codeSplitting: {
          groups: [
            { name: "firebase", test: /node_modules/ },
            { name: "shared", test: /src\/shared|client\/src/, minShareCount: 2 },
          ],
        },
      },
    },
  },
});
