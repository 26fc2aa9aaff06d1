// A built web/dist, as a web host serves it.
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";

const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".webmanifest": "application/manifest+json",
};

/** serveBuilt serves the files of a folder, with gzip if that makes them smaller, and passes all other requests on to the system. */
export async function serveBuilt(folder: string, webURL: string): Promise<{ url: string; close: () => void }> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => extname(name) !== "");
  const files = new Map(names.map((name) => [`/${name}`.replace(/\/index\.html$/, "/"), fileOf(join(folder, name))]));
  const server = createServer((asked, answer) => {
    const file = files.get(asked.url!);
    if (file) return void answer.writeHead(200, file.headers).end(file.body);
    // With this server's host: config.json names it.
    const passed = request(webURL + asked.url, { method: asked.method, headers: asked.headers }, (got) =>
      got.pipe(answer.writeHead(got.statusCode!, got.headers)),
    );
    asked.pipe(passed.on("error", () => answer.destroy()));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => void server.close() };
}

function fileOf(path: string) {
  const stored = readFileSync(path);
  const small = gzipSync(stored);
  const body = small.length < stored.length ? small : stored;
  return {
    body,
    headers: {
      "Content-Type": types[extname(path)] ?? "application/octet-stream",
      "Content-Length": body.length,
      ...(body === small && { "Content-Encoding": "gzip" }),
    },
  };
}
