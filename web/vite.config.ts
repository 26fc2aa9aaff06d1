import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

const client = (file: string) => fileURLToPath(new URL(`../client/src/${file}`, import.meta.url));

/** Resolves the package client/ to its sources. It has no packages of its own: the pages and the client share one SDK. */
export const resolve = {
  alias: [
    { find: /^relationindex-client$/, replacement: client("index.ts") },
    { find: /^relationindex-client\/react$/, replacement: client("react.ts") },
  ],
  dedupe: ["firebase", "react"],
};

// The pages are written for React, as an app on the package is, and run on Preact, which is a tenth of its size.
const preact = [
  { find: /^react\/jsx-runtime$/, replacement: "preact/jsx-runtime" },
  { find: /^react(-dom)?(\/client)?$/, replacement: "preact/compat$2" },
];

/** Puts the licences of what the built files contain beside them. */
const licences: Plugin = {
  name: "licences",
  generateBundle() {
    for (const [name, file] of Object.entries({ inter: "@fontsource-variable/inter/LICENSE", preact: "preact/LICENSE", lucide: "lucide-react/LICENSE" }))
      this.emitFile({ type: "asset", fileName: `licences/${name}.txt`, source: readFileSync(`node_modules/${file}`, "utf8") });
  },
};

// Two pages: the app at /, the console at /console/. The built files are committed and embedded in the binary
// (embed.go), so that nobody needs Node to run `relationindex dev`.
export default defineConfig({
  resolve: { ...resolve, alias: [...resolve.alias, ...preact] },
  plugins: [licences],
  build: {
    outDir: "dist",
    target: "es2022",
    chunkSizeWarningLimit: 700,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      checks: { moduleLevelDirective: false }, // "use client" of packages means nothing here
      input: { app: "index.html", console: "console/index.html" },
      // Code that both pages share: the SDK, which changes only with an update, and our own code.
      output: {
        codeSplitting: {
          groups: [
            { name: "firebase", test: /node_modules\/(?!lucide)/ },
            { name: "shared", test: /src|lucide/, minShareCount: 2 },
          ],
        },
      },
    },
  },
});
