import { gzipSync } from "node:zlib";
import { expect, inject, test } from "vitest";

test("the app's first load has at most 250 KB of compressed script", async () => {
  const { webURL } = inject("system");
  const get = async (path: string) => (await fetch(new URL(path, webURL))).text();
  const page = await get("/");
  const wanted = [...page.matchAll(/(?:src|href)="([^"]+\.js)"/g)].map((m) => m[1]!);
  const sizes = new Map<string, number>();
  for (let path = wanted.pop(); path; path = wanted.pop()) {
    if (sizes.has(path)) continue;
    const script = await get(path);
    sizes.set(path, gzipSync(script).length);
    // Static imports are loaded with it.
    for (const [, other] of script.matchAll(/(?:^|[;}\s])(?:import|export)[^;'"()]*?from?\s*["'](\.[^"']+)["']/g)) {
      wanted.push(new URL(other!, webURL + path).pathname);
    }
  }
  expect(sizes.size).toBeGreaterThan(0);
  const total = [...sizes.values()].reduce((a, b) => a + b, 0);
  console.log(`first load: ${(total / 1000).toFixed(1)} KB of script, gzip, in ${sizes.size} files (at most 250)`);
  expect(total).toBeLessThanOrEqual(250_000);
});
