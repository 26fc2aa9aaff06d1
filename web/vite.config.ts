import { defineConfig } from "vite";

// Two pages: the app at /, the console at /console/. The built files are committed and embedded in the binary
// (embed.go), so that nobody needs Node to run `relationindex dev`.
export default defineConfig({
  build: {
    outDir: "dist",
    target: "es2022",
    chunkSizeWarningLimit: 700,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: { app: "index.html", console: "console/index.html" },
      // What both pages share: the SDK, which changes when it is updated, and our own.
      output: { codeSplitting: { groups: [{ name: "firebase", test: /node_modules/ }, { name: "shared", test: /src\/shared/ }] } },
    },
  },
});
