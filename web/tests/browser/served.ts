// A page of a test's own: one script, out of its sources, from a server of its own.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { build, type Rolldown } from "vite";

import { resolve } from "../../vite.config.ts";
import { root } from "../system.ts";

/** The code of a page, in one script. entry is its file below web/tests. */
async function script(entry: string, mode: "development" | "production"): Promise<string> {
  const made = (await build({
    configFile: false,
    logLevel: "error",
    resolve,
    define: { "process.env.NODE_ENV": JSON.stringify(mode) },
    build: { write: false, minify: false, lib: { entry: join(root, "web", "tests", entry), formats: ["iife"], name: "page" } },
  })) as Rolldown.RolldownOutput[];
  return (made[0]!.output[0] as Rolldown.OutputChunk).code;
}

/** serve serves a page whose body is HTML, with the script of an entry, until it is closed. */
export async function serve(entry: string, body: string, mode: "development" | "production"): Promise<{ url: string; close: () => void }> {
  const code = await script(entry, mode);
  const html = `<!doctype html>${body}<script type="module" src="/page.js"></script>`;
  const server = createServer(
    ({ url }, response) =>
      void (url === "/page.js" ? response.setHeader("Content-Type", "text/javascript").end(code) : response.setHeader("Content-Type", "text/html").end(html)),
  );
  await once(server.listen(0, "127.0.0.1"), "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => void server.close() };
}
