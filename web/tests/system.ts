// The system that all tests of this package run against: `relationindex dev`, which is the emulators with the project's
// rules, its triggers and the functions, and serves the pages. Nothing here is a stand-in for any of them.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** root is the folder of the Go module. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Addresses is the line that `dev --json` prints. Hosts are host:port; URLs have no slash at their end. */
export interface Addresses {
  project: string;
  database: string;
  firestoreHost: string;
  functionsURL: string;
  authHost: string;
  webURL: string;
  feedURL: string;
}

/** capacity is how many followers an index document holds here. */
export const capacity = 4;

const settings = {
  JAVA_TOOL_OPTIONS: process.env["JAVA_TOOL_OPTIONS"] ?? "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC", // a run is too short for what compiles better
  // Index documents, pages of jobs and their ranges are small: a few documents are many.
  RELATIONINDEX_CAPACITY: String(capacity),
  RELATIONINDEX_TEST_CHUNK: "10",
  RELATIONINDEX_TEST_STEP: "1ms", // a page: the console shows what a step stores at its end
  RELATIONINDEX_TEST_RANGE: "30",
  RELATIONINDEX_NO_OWN_POSTS: "true",
};

/**
 * start starts a system, with more variables, and returns when it is ready. It runs until it is stopped, at the latest until
 * this process ends. logs is a folder above what its parts log.
 */
export async function start(more: Record<string, string> = {}): Promise<{ addresses: Addresses; logs: string; stop: () => Promise<void> }> {
  const binary = process.env["RELATIONINDEX_BINARY"] ?? (await build());
  const logs = mkdtempSync(join(tmpdir(), "relationindex-logs-"));
  const env = { ...process.env, ...settings, ...more, TMPDIR: logs };
  const child = spawn(binary, ["dev", "--json", ...["firestore", "auth", "web", "functions"].flatMap((port) => [`--${port}-port`, "0"])], { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  // A test run that fails or is interrupted still ends here. The system ends its own children.
  const end = () => child.kill("SIGTERM");
  process.once("exit", end);
  child.once("exit", () => process.off("exit", end));
  try {
    return { addresses: await ready(child), logs, stop: () => stop(child).then(() => tidy(logs)) };
  } catch (err) {
    await stop(child); // its logs stay: the error names them
    throw err;
  }
}

/** ready reads the one line, and fails with what the program said if it ends before. */
async function ready(child: ChildProcess): Promise<Addresses> {
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-8000)));
  const line = new Promise<string>((resolve) => createInterface({ input: child.stdout! }).once("line", resolve));
  const ended = new Promise<never>((_, reject) => {
    child.once("error", reject);
    // "close" and not "exit": by then everything that it said has been read.
    child.once("close", (code) => reject(new Error(`relationindex dev ended with ${code}: ${said}`)));
  });
  ended.catch(() => {}); // also when it ends as it should, later
  const addresses = JSON.parse(await Promise.race([line, ended])) as Addresses;
  for (const key of ["project", "database", "firestoreHost", "functionsURL", "authHost", "webURL", "feedURL"] as const) {
    if (!addresses[key]) {
      throw new Error(`relationindex dev --json did not say its ${key}: run npm ci in web/, and make web`);
    }
  }
  const database = process.env["RELATIONINDEX_DATABASE"] || "(default)";
  if (addresses.database !== database) throw new Error(`relationindex dev works on the database ${addresses.database}, want ${database}`);
  return addresses;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) {
    return;
  }
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  const late = setTimeout(() => child.kill("SIGKILL"), 30_000);
  await gone;
  clearTimeout(late);
}

/** tidy removes the logs, unless tests have failed: vitest has set the exit code by then. */
function tidy(logs: string): void {
  if (process.exitCode) {
    console.error(`logs of the system: ${logs}`);
  } else {
    rmSync(logs, { recursive: true, force: true });
  }
}

/** build builds the program. The next run finds it, and links nothing if nothing has changed. */
async function build(): Promise<string> {
  const binary = join(root, "web", "node_modules", ".cache", "relationindex");
  await promisify(execFile)("go", ["build", "-o", binary, "./cmd/relationindex"], { cwd: root });
  return binary;
}
