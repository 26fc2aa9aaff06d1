// vitest's global set-up: one system for all suites of a run. Tests get its addresses by inject("system"), and keep apart
// by the ids of their users. A suite that wants a system of its own, with other flags, calls start() itself.
import type { TestProject } from "vitest/node";

import { type Addresses, start } from "./system.ts";

declare module "vitest" {
  interface ProvidedContext {
    system: Addresses;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { idle: _idle, stop, ...addresses } = await start();
  project.provide("system", addresses);
  return stop;
}
