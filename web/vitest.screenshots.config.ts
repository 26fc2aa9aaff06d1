import { defineConfig } from "vitest/config";

// Not a test suite: `make screenshots` runs it, and somebody looks at the pictures. A page has a file of its own,
// {page}.shots.ts, and calls shoot(page, name) in each state.
export default defineConfig({
  test: {
    globalSetup: ["tests/setup.ts"],
    include: ["tests/screenshots/*.shots.ts"],
    environment: "node",
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
