// The pages of docs/quickstart as folders: a line **name** and the block below it are a file.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { transformWithOxc } from "vite";

import { root } from "../system.ts";
import { declarations } from "./extract.ts";

export type Files = Map<string, string>;

const textOf = (page: string) => readFileSync(join(root, "docs/quickstart", page), "utf8");

/** filesOf are the files that stand on a page, by name. */
export function filesOf(page: string): Files {
  return new Map([...textOf(page).matchAll(/^\*\*([\w./-]+)\*\*\n\n```\w+\n([\s\S]*?)^```$/gm)].map(([, name, text]) => [name!, text!]));
}

/** commandsOf are the commands that stand on a page, a line each. */
export const commandsOf = (page: string): string[] =>
  [...textOf(page).matchAll(/^```\n([\s\S]*?)^```$/gm)].flatMap(([, block]) => block!.trim().split("\n"));

export function write(files: Files, folder: string): void {
  for (const [name, text] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/** snippetsFor is the module of what others import from it, and of what that needs: declarations of docs/clients/web.md as they stand there. */
export function snippetsFor(others: Files): string {
  const wanted = [...others.values()].flatMap((text) => /^import \{([^}]+)\} from "\.\/feed(?:\.js)?";$/m.exec(text)?.[1]!.split(",") ?? []);
  const { imports, declared } = declarations();
  const taken = new Set<string>();
  const take = (name: string): void => {
    const text = declared.get(name);
    if (text && !taken.has(name)) {
      taken.add(name);
      words(text).forEach(take);
    }
  };
  wanted.forEach((name) => take(name.replace("type ", "").trim()));
  const body = [...declared].filter(([name]) => taken.has(name)).map(([, text]) => text).join("\n\n");
  const used = new Set(words(body));
  const from = [...imports].map(([module, names]) => [module, names.filter((name) => used.has(name.replace("type ", "")))] as const);
  const lines = from.filter(([, names]) => names.length > 0).map(([module, names]) => `import { ${names.join(", ")} } from "${module}";`);
  return `${lines.join("\n")}\n\n${body}\n`;
}

/** words of a code, without its comments. */
const words = (text: string): string[] => text.replace(/\/\*\*[^]*?\*\/|\/\/ .*/g, "").match(/[\w$]+/g) ?? [];

/** untyped is a module without its types, as every browser runs it. */
export async function untyped(module: string): Promise<string> {
  const { code } = await transformWithOxc(module, "feed.ts", { target: "es2022", sourcemap: false });
  return code
    .replace(/^\t+/gm, (tabs) => "  ".repeat(tabs.length))
    .replace(/(?<!\*\/\n)^(?=\/\*\*|export|const|function)/gm, "\n");
}
