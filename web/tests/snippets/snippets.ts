// The snippets as functions that tests call, and a record of which were called.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { write } from "./extract.ts";

// What a snippet takes and gives is in the documentation, and the compiler has seen it there. Tests read their results.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Snippet = any;

export interface Snippets {
  web: Record<string, Snippet>;
  readme: Record<string, Snippet>;
  /** Throws what the compiler says. */
  compile(): Promise<void>;
  /** The names that no test has called. */
  unused(): string[];
  remove(): void;
}

/** load writes the modules into a folder beside this file, where they find their packages, and imports them. */
export async function load(): Promise<Snippets> {
  const folder = mkdtempSync(join(dirname(fileURLToPath(import.meta.url)), "made-"));
  const unused = new Set<string>();
  try {
    write(folder);
    const [web, readme] = await Promise.all(
      ["web", "readme"].map(async (name) => recorded(await import(join(folder, `${name}.ts`)), name, unused)),
    );
    return {
      web: web!,
      readme: readme!,
      compile: async () => {
        const tsc = join(folder, "../../../node_modules/.bin/tsc");
        await promisify(execFile)(tsc, ["-p", folder]).catch((err: { stdout: string }) => {
          throw new Error(err.stdout);
        });
      },
      unused: () => [...unused],
      remove: () => rmSync(folder, { recursive: true, force: true }),
    };
  } catch (err) {
    rmSync(folder, { recursive: true, force: true });
    throw err;
  }
}

/** recorded takes a name off the list when it is first used. */
function recorded(module: Record<string, Snippet>, prefix: string, unused: Set<string>): Record<string, Snippet> {
  Object.keys(module).forEach((name) => unused.add(`${prefix}: ${name}`));
  return new Proxy(module, {
    get: (target, name) => {
      unused.delete(`${prefix}: ${String(name)}`);
      return target[String(name)];
    },
  });
}
