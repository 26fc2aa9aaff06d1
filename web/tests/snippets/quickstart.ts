// The quick starts as folders, with the packages that npm would install: a line **name** on a page and the block below it are a file.
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { root } from "../system.ts";

export type Files = Map<string, string>;

const run = promisify(execFile);

const textOf = (page: string) => readFileSync(join(root, "docs/quickstart", page), "utf8");

/** filesOf are the files that stand on a page, by name. */
export function filesOf(page: string): Files {
  return new Map([...textOf(page).matchAll(/^\*\*([\w./-]+)\*\*\n\n```\w+\n([\s\S]*?)^```$/gm)].map(([, name, text]) => [name!, text!]));
}

/** commandsOf are the commands that stand on a page, a line each. */
export const commandsOf = (page: string): string[] => [...textOf(page).matchAll(/^```\n([\s\S]*?)^```$/gm)].flatMap(([, block]) => block!.trim().split("\n"));

export function write(files: Files, folder: string): void {
  for (const [name, text] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/** install is npm install without a network: the package client/ as make client packs it, and links to packages that are here. */
export async function install(folder: string, packages: string[]): Promise<void> {
  const [client, modules, here] = [join(root, "client"), join(folder, "node_modules"), join(root, "web", "node_modules")];
  mkdirSync(modules);
  for (const name of packages) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(here, name), join(modules, name));
  }
  await run(join(root, "scripts", "pack-client"), { env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env["PATH"]}` } });
  const packed = readdirSync(client).find((name) => name.endsWith(".tgz"))!;
  await run("tar", ["-xzf", join(client, packed)], { cwd: folder });
  renameSync(join(folder, "package"), join(modules, "relationindex-client"));
}
