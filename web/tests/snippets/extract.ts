// The TypeScript blocks of the documentation, as modules. A block has a marker in the line before it:
//
//	<!-- snippet -->                                         declarations; those of a page make one module, in their order
//	<!-- snippet feed(db: Firestore, uid: string): page -->  statements; they become a function with that result, if any
//
// and one without a marker is an error: it would be a snippet that no test runs.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "../system.ts";

const pages = { web: "docs/clients/web.md", readme: "README.md" };

/** write writes web.ts, the module of docs/clients/web.md, and readme.ts, the functions of README.md, which imports as web.md does. */
export function write(folder: string): void {
  const web = blocks(pages.web);
  const imports = [...web.flatMap(({ code }) => code.match(/^import [^;]+;/gm) ?? []), 'import { addDoc } from "firebase/firestore";'];
  const modules = { web, readme: blocks(pages.readme) };
  for (const [name, found] of Object.entries(modules)) {
    const text = found.map(({ code, signature }) => (signature ? wrapped(code, signature) : code));
    writeFileSync(join(folder, `${name}.ts`), [...(name === "web" ? [] : imports), ...text].join("\n\n") + "\n");
  }
  const compilerOptions = { noUnusedLocals: false };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ extends: "../../../tsconfig.json", compilerOptions, include: ["*.ts"], exclude: [] }),
  );
}

/** declarations are those of docs/clients/web.md by name, with their comments and in their order, and what they import by module. */
export function declarations(): { imports: Map<string, string[]>; declared: Map<string, string> } {
  const code = blocks(pages.web).map((block) => block.code).join("\n\n");
  const names = (list: string) => list.split(",").map((name) => name.trim()).filter(Boolean);
  const imports = new Map([...code.matchAll(/^import \{([^}]+)\} from "([^"]+)";/gm)].map(([, list, module]) => [module!, names(list!)]));
  const declared = new Map<string, string>();
  for (const part of code.replace(/^import [^;]+;\n?/gm, "").split(/\n\n(?=\S)/)) {
    const [, name] = /^(?:export )?(?:async )?(?:function|class|interface|const) (\w+)/m.exec(part) ?? [];
    if (name) declared.set(name, part.trim());
  }
  return { imports, declared };
}

interface Block {
  code: string;
  /** "feed(db: Firestore, uid: string): page" */
  signature: string | undefined;
}

function blocks(page: string): Block[] {
  const text = readFileSync(join(root, page), "utf8");
  const marked = [...text.matchAll(/^<!-- snippet ?(.*?) ?-->\n```ts\n([\s\S]*?)\n```$/gm)];
  const all = [...text.matchAll(/^```(ts|tsx|typescript|js|javascript)\b/gm)];
  if (marked.length !== all.length || marked.length === 0) {
    throw new Error(`${page}: ${all.length} blocks, ${marked.length} of them with a marker`);
  }
  return marked.map(([, signature, code]) => ({ code: code!, signature: signature || undefined }));
}

function wrapped(code: string, signature: string): string {
  const [, head, result] = /^(\w+\(.*\))(?:: (\w+))?$/.exec(signature) ?? [];
  if (head === undefined) {
    throw new Error(`a marker is not "name(parameters): result": ${signature}`);
  }
  return `export async function ${head} {\n${code}${result ? `\nreturn ${result};` : ""}\n}`;
}
