// vitest's global set-up: one system for all tests of a run. They get its addresses by inject("system"), and keep apart by
// the ids of their users.
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
