// The system that all tests of this package run against: `relationindex dev`. It runs the emulators with the project's rules,
// the triggers and the functions, and serves the pages. Tests replace none of these by a stand-in.
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

/** capacity is the most followers of an index document in tests. */
export const capacity = 4;

const settings = {
  JAVA_TOOL_OPTIONS: process.env["JAVA_TOOL_OPTIONS"] ?? "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC", // a run is too short for the second compiler
  // Index documents, pages of jobs and their ranges are small, so that few documents suffice for a test.
  RELATIONINDEX_CAPACITY: String(capacity),
  RELATIONINDEX_TEST_CHUNK: "10",
  RELATIONINDEX_TEST_STEP: "1ms", // a step has one page: the console shows only what a step stores at its end
  RELATIONINDEX_TEST_RANGE: "30",
  RELATIONINDEX_NO_OWN_POSTS: "true",
};

/**
 * start starts a system with further variables, and returns when the system is ready. The system runs until it is stopped, at the
 * latest until this process ends. logs is the folder that contains the logs of its parts.
 */
export async function start(more: Record<string, string> = {}): Promise<{ addresses: Addresses; logs: string; stop: () => Promise<void> }> {
  const binary = process.env["RELATIONINDEX_BINARY"] ?? (await build());
  const logs = mkdtempSync(join(tmpdir(), "relationindex-logs-"));
  const env = { ...process.env, ...settings, ...more, TMPDIR: logs };
  const child = spawn(binary, ["dev", "--json", ...["firestore", "auth", "web", "functions"].flatMap((port) => [`--${port}-port`, "0"])], {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  // This also runs when a test run fails or is interrupted. The system ends its own children.
  const end = () => child.kill("SIGTERM");
  process.once("exit", end);
  child.once("exit", () => process.off("exit", end));
  try {
    return { addresses: await ready(child), logs, stop: () => stop(child).then(() => tidy(logs)) };
  } catch (err) {
    await stop(child); // the logs stay, because the error names them
    throw err;
  }
}

/** ready reads the line of addresses. If the program ends before that line, it fails with the program's output. */
async function ready(child: ChildProcess): Promise<Addresses> {
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-8000)));
  const line = new Promise<string>((resolve) => createInterface({ input: child.stdout! }).once("line", resolve));
  const ended = new Promise<never>((_, reject) => {
    child.once("error", reject);
    // "close" instead of "exit": at "close", all output of the program has been read.
    child.once("close", (code) => reject(new Error(`relationindex dev ended with ${code}: ${said}`)));
  });
  ended.catch(() => {}); // it also rejects when the program ends later, as it should
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

/** tidy removes the logs, unless tests have failed. vitest has set the exit code before. */
function tidy(logs: string): void {
  if (process.exitCode) {
    console.error(`logs of the system: ${logs}`);
  } else {
    rmSync(logs, { recursive: true, force: true });
  }
}

/** build builds the program. The binary stays for the next run, which links it again only after a change. */
async function build(): Promise<string> {
  const binary = join(root, "web", "node_modules", ".cache", "relationindex");
  await promisify(execFile)("go", ["build", "-o", binary, "./cmd/relationindex"], { cwd: root });
  return binary;
}
