// The system that all suites of this package run against: `relationindex dev`, which is the Firestore emulator with the
// project's rules, its triggers and the functions. Nothing here is a stand-in for any of them.
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
  firestoreHost: string;
  functionsURL: string;
  /** Absent where the Auth emulator is not installed. */
  authHost?: string;
  webURL?: string;
  feedURL?: string;
}

/** A System runs until it is stopped, at the latest until this process ends. */
export interface System extends Addresses {
  /** idle waits until everything that was written has had its consequences, two minutes at most. */
  idle(): Promise<void>;
  /** stop ends the system and returns when its process is gone. It may be called again. */
  stop(): Promise<void>;
}

/** Flags are those of `dev`, less their dashes: { capacity: 4, project: "demo-app" }. */
export type Flags = Record<string, string | number>;

/** idle waits as System.idle does, for who has the addresses only. */
export async function idle(at: Addresses): Promise<void> {
  const answer = await fetch(`${at.functionsURL}/idle?timeout=120s`);
  if (!answer.ok) {
    throw new Error(`not idle: ${answer.status} ${await answer.text()}`);
  }
}

/**
 * start starts a system and returns when it is ready. RELATIONINDEX_BINARY names a built program; without it the program
 * is built first, once for each process.
 */
export async function start(flags: Flags = {}): Promise<System> {
  const binary = process.env["RELATIONINDEX_BINARY"] ?? (await build());
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const logs = mkdtempSync(join(tmpdir(), "relationindex-logs-"));
  const env = { ...process.env, TMPDIR: logs };
  const child = spawn(binary, ["dev", "--json", ...args], { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  // A test run that fails or is interrupted still ends here. The system ends its own children.
  const end = () => child.kill("SIGTERM");
  process.once("exit", end);
  child.once("exit", () => process.off("exit", end));
  try {
    const addresses = await ready(child);
    return { ...addresses, idle: () => idle(addresses), stop: () => stop(child).then(() => tidy(logs)) };
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
  for (const key of ["project", "firestoreHost", "functionsURL"] as const) {
    if (!addresses[key]) {
      throw new Error(`relationindex dev --json did not say its ${key}`);
    }
  }
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

let built: Promise<string> | undefined;

/** build builds the program into a folder that goes when this process does. */
function build(): Promise<string> {
  built ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), "relationindex-web-"));
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    const binary = join(folder, "relationindex");
    await promisify(execFile)("go", ["build", "-o", binary, "./cmd/relationindex"], { cwd: root });
    return binary;
  })();
  return built;
}
