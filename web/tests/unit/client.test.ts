// The package client/ as its users get it.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import * as client from "relationindex-client";
import { codeOf, errorMessage, FeedError } from "relationindex-client";
import { expect, test } from "vitest";

import { root } from "../system.ts";

test("errors have a code of a known list, and words", async () => {
  const denied = Object.assign(new Error("Missing or insufficient permissions."), { code: "permission-denied" });
  expect([codeOf(denied), errorMessage(denied)]).toEqual(["permission-denied", "This is not allowed."]);
  for (const other of [new Error("plain"), Object.assign(new Error("plain"), { code: "EPIPE" }), Object.assign(new Error("plain"), { code: "toString" })]) {
    expect([codeOf(other), errorMessage(other)]).toEqual(["", "plain"]);
  }
  expect(errorMessage("text")).toBe("text");
  const limited = await FeedError.of(
    new Response('{"error": {"code": "resource-exhausted", "message": "too many"}}', { status: 429, headers: { "Retry-After": "7" } }),
  );
  expect([limited.code, limited.message, limited.retryAfter, limited instanceof Error]).toEqual(["resource-exhausted", "too many", 7, true]);
  const proxy = await FeedError.of(new Response("<html>", { status: 502 }));
  expect([proxy.code, errorMessage(proxy), proxy.retryAfter]).toEqual(["unavailable", "The server cannot be reached. Check your connection.", 0]);
});

const readme = readFileSync(join(root, "client", "README.md"), "utf8");

test("its page names all that it exports", async () => {
  const exported = [...Object.keys(client), ...Object.keys(await import("relationindex-client/react"))];
  expect(exported.length).toBeGreaterThan(50);
  const code = readme.match(/```[\s\S]*?```|`[^`]+`/g)!.join("\n");
  const named = new Set(code.match(/\w+/g));
  expect(exported.filter((name) => !named.has(name))).toEqual([]);
});

test("the programs of its page compile", async () => {
  const folder = mkdtempSync(join(root, "web", "tests", "snippets", "made-"));
  try {
    const blocks = [...readme.matchAll(/^```(tsx?)\n([\s\S]*?)\n```$/gm)];
    expect(blocks.map(([, kind]) => kind)).toEqual(["ts", "tsx"]);
    for (const [, kind, code] of blocks) writeFileSync(join(folder, kind === "ts" ? "page.ts" : "react.tsx"), code!);
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ extends: "../../../tsconfig.json", compilerOptions: { jsx: "react-jsx" }, include: ["*"], exclude: [] }),
    );
    await promisify(execFile)(join(root, "web", "node_modules", ".bin", "tsc"), ["-p", folder]).catch((err: { stdout: string }) => expect.fail(err.stdout));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
