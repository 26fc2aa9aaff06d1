import { defineConfig } from "vitest/config";

// The suites share one system, so they run one after the other. A test waits for the emulator more than it computes; its
// limit is for a busy machine.
const suites = ["unit", "rules", "snippets", "browser"];

export default defineConfig({
  test: {
    globalSetup: ["tests/setup.ts"],
    projects: suites.map((name, groupOrder) => ({
      test: {
        name,
        include: [`tests/${name}/**/*.test.ts`],
        environment: "node",
        testTimeout: 120_000,
        hookTimeout: 120_000,
        sequence: { groupOrder },
      },
    })),
  },
});
