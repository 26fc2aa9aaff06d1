// vitest's global set-up: one system for all tests of a run. Tests get its addresses by inject("system"). Each test has ids of
// users of its own, so that tests do not affect each other.
import type { TestProject } from "vitest/node";

import { type Addresses, start } from "./system.ts";

declare module "vitest" {
  interface ProvidedContext {
    system: Addresses;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { addresses, stop } = await start();
  project.provide("system", addresses);
  return stop;
}
