import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

import { resolve } from "./vite.config.ts";

// Each command runs one of these suites: a tier or a folder of tests (package.json). A run has one system for all files.
// scripts/web-test runs two lanes of them side by side.
// Tests of rules have databases of their own, and run side by side. Tests that share the app's database run one after the other:
// see "stale" in tests/firestore.ts. The console also counts everything that the system does. The limits suit a busy machine.
const rest = {
  provide: { transport: "REST" as const, firebase: "13" },
  alias: [{ find: /^firebase\/firestore$/, replacement: fileURLToPath(new URL("tests/rules/lite.ts", import.meta.url)) }],
};

const suites = [
  { name: "fast-unit", include: ["tests/unit/*.test.ts"], maxWorkers: 3 },
  // The tables of rights: the SDK and requests without the SDK use REST. In long they use gRPC.
  { name: "fast-rest", include: ["tests/rules/*.test.ts"], maxWorkers: 1, ...rest },
  { name: "fast-snippets", include: ["tests/snippets/*.test.ts"], maxWorkers: 1 },
  { name: "fast-browser", include: ["tests/browser/*.test.ts"], maxWorkers: 1 },
  // The package client/, as its users use it; and a story of it with the oldest SDK that it supports.
  { name: "fast-client", include: ["tests/client/*.test.ts"], maxWorkers: 1 },
  {
    name: "fast-client-12",
    include: ["tests/client/feed.test.ts"],
    maxWorkers: 1,
    provide: { transport: "gRPC" as const, firebase: "12" },
    alias: [{ find: /^firebase\//, replacement: "firebase-12/" }],
  },
  { name: "long", include: ["tests/long/{browser,rules}/*.test.ts", "tests/rules/*.test.ts"], maxWorkers: 1 },
  { name: "long-rest", include: ["tests/long/rules/{full,fields}.test.ts"], maxWorkers: 1, ...rest },
  { name: "mutants", include: ["tests/rules/*.mutants.ts"], maxWorkers: 1, ...rest },
  { name: "bench", include: ["tests/bench/*.bench.ts"], maxWorkers: 1 }, // no test suite: it measures
  // No test suite: a person looks at the pictures. A page's states are in {page}.shots.ts.
  { name: "screenshots", include: ["tests/screenshots/*.shots.ts"], maxWorkers: 1 },
];

export default defineConfig({
  test: {
    globalSetup: ["tests/setup.ts"],
    projects: suites.map((suite, groupOrder) => ({
      resolve,
      test: {
        provide: { transport: "gRPC" as const, firebase: "13" },
        ...suite,
        environment: "node",
        isolate: false, // the SDK and Chromium are loaded once for all files
        testTimeout: 300_000,
        hookTimeout: 300_000,
        expect: { poll: { timeout: 180_000 } },
        sequence: { groupOrder },
      },
    })),
  },
});
