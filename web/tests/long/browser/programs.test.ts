// Programs that are no part of the project use the package client/ as `make client` packs it: a strict project of Vite and React, a page
// without a build, and a script of Node. Each has a field of its own, and pictures.
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { collection, getDocs, query, where } from "firebase/firestore";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";

import { open, test } from "../../browser/browser.ts";
import { client, idle, write } from "../../firestore.ts";
import { install } from "../../snippets/quickstart.ts";
import { type Addresses, root, start } from "../../system.ts";

const run = promisify(execFile);

/** said runs a program of the folder, and returns what it prints. */
const said = (file: string, args: string[], cwd: string): Promise<string> =>
  run(file, args, { cwd, timeout: 60_000 }).then(
    ({ stdout }) => stdout,
    (err: { message: string; stdout: string }) => {
      throw new Error(err.message + err.stdout);
    },
  );

let at: Addresses;
let folder: string;
let site: string;
const ends: (() => unknown)[] = [];

beforeAll(async () => {
  const { addresses, stop } = await start({ RELATIONINDEX_ENV: join(root, "examples", "presets", "small.env"), RELATIONINDEX_NO_OWN_POSTS: "false" });
  at = addresses;
  ends.push(stop);
  // The rules as docs/fields.md has them.
  const [, functions] = /```js\n(    function isPost\([^]*?\n)```/.exec(readFileSync(join(root, "docs", "fields.md"), "utf8"))!;
  const content = readFileSync(join(root, "firestore.rules"), "utf8").replace(/    function isPost\([^]*?\n    }\n/, functions!);
  const answer = await fetch(`http://${at.firestoreHost}/emulator/v1/projects/${at.project}:securityRules`, {
    method: "PUT",
    body: JSON.stringify({ rules: { files: [{ name: "firestore.rules", content }] } }),
  });
  expect([answer.status, content.includes("isPhoto")]).toEqual([200, true]);

  folder = mkdtempSync(join(tmpdir(), "programs-"));
  ends.push(() => rmSync(folder, { recursive: true }));
  cpSync(join(import.meta.dirname, "..", "programs"), folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  for (const file of ["vite/main.tsx", "page/index.html"]) {
    const text = readFileSync(join(folder, file), "utf8");
    expect(text.split("http://127.0.0.1:4000").length).toBe(2);
    writeFileSync(join(folder, file), text.replace("http://127.0.0.1:4000", at.webURL));
  }
  await install(folder, [".bin", "firebase", "react", "react-dom", "@types/react", "@types/react-dom", "vite", "typescript"]);

  const types: Record<string, string> = { ".html": "text/html", ".js": "text/javascript" };
  const server = createServer((request, response) => {
    const file = join(folder, new URL(request.url ?? "/", "http://x").pathname);
    if (!existsSync(file)) return void response.writeHead(404).end();
    response.writeHead(200, { "Content-Type": types[extname(file)] ?? "application/octet-stream" }).end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => server.close());
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

const pictures = "https://pictures.example";
const [email, password] = ["ada@example.com", "correct horse"];

/** openProgram opens a page of the folder, where each address of a picture has one. */
async function openProgram(browser: Browser, path: string) {
  const page = await open(browser, "about:blank");
  await page
    .context()
    .route(`${pictures}/**`, (route) =>
      route.fulfill({ contentType: "image/svg+xml", body: '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"/>' }),
    );
  await page.goto(site + path);
  return page;
}

async function fill(page: Page, fields: Record<string, string>, button: string): Promise<void> {
  for (const [name, value] of Object.entries(fields)) await page.getByLabel(name, { exact: true }).fill(value);
  await page.getByRole("button", { name: button, exact: true }).click();
}

/** seen returns the pictures of a post that the browser has loaded. */
const seen = (page: Page, title: string): Promise<string[]> =>
  page
    .getByRole("article")
    .filter({ hasText: title })
    .locator("img")
    .evaluateAll((all) => (all as HTMLImageElement[]).filter((image) => image.naturalWidth > 0).map(({ src }) => src));

test("the package's types hold under each resolver of modules, strictly and with all that they name", async () => {
  const check = (resolution: string, module: string) =>
    said(join(folder, "node_modules", ".bin", "tsc"), ["-p", "vite", "--moduleResolution", resolution, "--module", module], folder);
  expect(await Promise.all([check("bundler", "esnext"), check("node16", "node16"), check("nodenext", "nodenext")])).toEqual(["", "", ""]);
  // TypeScript 5 has one more, which reads these fields instead of exports.
  const packed = join(folder, "node_modules", "relationindex-client");
  const { main, types, typesVersions } = JSON.parse(readFileSync(join(packed, "package.json"), "utf8"));
  expect([main, types, ...typesVersions["*"].react].filter((file) => !existsSync(join(packed, file)))).toEqual([]);
});

test("a project of Vite and React: sign-up with a picture, a post with a title, comments, and follows of closed accounts", async ({ browser }) => {
  await said(join(folder, "node_modules", ".bin", "vite"), ["build", "vite", "--base", "./", "--target", "es2022"], folder);
  const owner = client("owner", at.project, at);
  await write({ "users/open": { name: "Open", nameLower: "open" }, "users/shut": { name: "Shut", nameLower: "shut", closed: true } }, owner);
  const page = await openProgram(browser, "/vite/dist/index.html");
  await fill(page, { Name: "Ada", Picture: `${pictures}/ada.png`, "E-mail": email, Password: password }, "Sign up");
  await fill(page, { Text: "Look.", Title: "Frost", Photo: `${pictures}/frost.png` }, "Post");
  await page.getByRole("heading", { name: "Frost" }).waitFor();
  await expect.poll(() => seen(page, "Frost")).toEqual([`${pictures}/ada.png`, `${pictures}/frost.png`]);

  // A comment comes first, and older ones are read on request.
  await idle(at);
  const [post] = (await getDocs(query(collection(owner, "posts"), where("title", "==", "Frost")))).docs;
  const { userId, audience } = post!.data();
  const comment = (n: number) => ({ userId, thread: `${userId}/${audience}`, text: `Old ${n}`, createdAt: new Date(1_000 * n) });
  await write(Object.fromEntries(Array.from({ length: 24 }, (_, n) => [`${post!.ref.path}/comments/old${n}`, comment(n)])), owner);
  await fill(page, { Comment: "First." }, "Send");
  const comments = page.getByRole("article").getByRole("listitem");
  await expect.poll(() => comments.first().textContent()).toBe("First.");
  expect(await comments.count()).toBeLessThan(25);
  await page.getByRole("button", { name: "Older comments" }).click();
  await expect.poll(() => comments.count()).toBe(25);

  const person = (name: string) => page.getByRole("listitem").filter({ hasText: name }).getByRole("button");
  for (const [name, words] of [
    ["Open", ["Follow", "Unfollow"]],
    ["Shut", ["Ask to follow", "Take back the request"]],
  ] as const) {
    for (const word of [...words, words[0]]) {
      await expect.poll(() => person(name).textContent()).toBe(word);
      await person(name).click();
    }
  }
  expect(page.errors).toEqual([]);
});

test("a page without a build", async ({ browser }) => {
  const page = await openProgram(browser, "/page/index.html");
  await fill(page, { "E-mail": email, Password: password }, "Sign in");
  await page.getByRole("article").filter({ hasText: "Frost: Look." }).waitFor();
  await expect.poll(() => seen(page, "Frost")).toEqual([`${pictures}/ada.png`, `${pictures}/frost.png`]);
  expect(page.errors).toEqual([]);
});

test("a script of Node prints the feed, and ends", async () => {
  const began = performance.now();
  expect((await said(process.execPath, ["node/main.js", at.webURL, email, password, "Thaw"], folder)).split("\n")).toEqual(["Thaw", "Frost", ""]);
  console.log(`the script took ${((performance.now() - began) / 1000).toFixed(1)} s`);
});
