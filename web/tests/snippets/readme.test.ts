// The snippets of README.md: compiled, and run against the whole system with the rules. A line before a block names the function
// that it becomes here, and its result: <!-- snippet read(db: Firestore, uid: string): page -->.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type DocumentSnapshot, type Firestore, getDoc, doc, type QuerySnapshot } from "firebase/firestore";
import { afterAll, beforeAll, expect, test } from "vitest";

import { client, follow, has, idle, register } from "../firestore.ts";
import { root } from "../system.ts";

const imports =
  'import { addDoc, collection, deleteDoc, doc, type Firestore, getDocs, limit, orderBy, query, serverTimestamp, setDoc, where } from "firebase/firestore";';

interface Snippets {
  write(db: Firestore, uid: string, author: string, name: string, text: string): Promise<void>;
  read(db: Firestore, uid: string): Promise<QuerySnapshot>;
}

/** The module of the snippets, beside this file, where it finds its packages. */
let folder: string;
let snippets: Snippets;
beforeAll(async () => {
  const text = readFileSync(join(root, "README.md"), "utf8");
  const blocks = [...text.matchAll(/^<!-- snippet (\w+\(.*?\))(?:: (\w+))? -->\n```ts\n([\s\S]*?)\n```$/gm)];
  expect(blocks.length, "a block without a name").toBe(text.match(/^```(ts|tsx|js)\b/gm)?.length);
  folder = mkdtempSync(join(root, "web", "tests", "snippets", "made-"));
  const functions = blocks.map(([, head, result, code]) => `export async function ${head} {\n${code}${result ? `\nreturn ${result};` : ""}\n}`);
  writeFileSync(join(folder, "readme.ts"), [imports, ...functions].join("\n\n"));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ extends: "../../../tsconfig.json", include: ["*.ts"], exclude: [] }));
  snippets = (await import(join(folder, "readme.ts"))) as Snippets;
});
afterAll(() => rmSync(folder, { recursive: true }));

test("they compile, strictly", async () => {
  await promisify(execFile)(join(root, "web", "node_modules", ".bin", "tsc"), ["-p", folder]).catch((err: { stdout: string }) => {
    throw new Error(err.stdout);
  });
});

test("they write documents that the rules accept, and read them back", async () => {
  const [ada, bob] = [client({ sub: "readme-ada" }), client({ sub: "readme-bob" })];
  await register("readme-bob", "Bob");
  await snippets.write(ada, "readme-ada", "readme-bob", "Ada", "hello");
  expect(await has("users/readme-bob/followers/readme-ada")).toBe(false); // followed, and unfollowed
  const profile: DocumentSnapshot = await getDoc(doc(bob, "users/readme-ada"));
  expect(profile.get("name")).toBe("Ada");
  await follow("readme-ada", "readme-bob");
  await idle();
  const page = await snippets.read(bob, "readme-bob");
  expect(page.docs.map((one) => one.get("userId"))).toEqual(["readme-ada"]);
});
