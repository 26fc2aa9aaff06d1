import { defineConfig } from "vitest/config";

// Each command runs one of these, or a folder of tests in both tiers (package.json); a run has one system for all files.
// Tests wait for it more than they compute, so files run side by side. In the long tier one after the other: the
// console counts what the system does. The limits are for a busy machine.
const suites = [
  { name: "fast", include: ["tests/{unit,rules,snippets,browser}/*.test.ts"], maxWorkers: 3 },
  { name: "long", include: ["tests/long/**/*.test.ts"], maxWorkers: 1 },
  // No test suite: somebody looks at the pictures. A page's states are in {page}.shots.ts.
  { name: "screenshots", include: ["tests/screenshots/*.shots.ts"], maxWorkers: 1 },
];

export default defineConfig({
  test: {
    globalSetup: ["tests/setup.ts"],
    projects: suites.map((suite, groupOrder) => ({
      test: {
        ...suite,
        environment: "node",
        isolate: false, // the SDK, and Chromium, are loaded once for all files
        testTimeout: 300_000,
        hookTimeout: 300_000,
        expect: { poll: { timeout: 60_000 } },
        sequence: { groupOrder },
      },
    })),
  },
});
