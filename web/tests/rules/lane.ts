// A lane is a database of its own on the emulator, with rules of its own and one client for each column of the table.
// Lanes run side by side. In a lane, cells run one after the other, so that each cell finds the world unchanged.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { deleteApp } from "firebase/app";
import { type Firestore, doc, writeBatch } from "firebase/firestore";

import { at, client } from "../firestore.ts";
import { root } from "../system.ts";
import { type Sender, sender } from "./request.ts";
import type { Cell } from "./row.ts";
import { type Fields, type Who, claims, uids, who, world } from "./world.ts";

/** files are the files of rules. Each is complete: an app deploys one file. */
export const files = ["firestore.rules", "firestore.feed-only.rules"] as const;

/** withPace is the first file as `deploy --pace` deploys it. */
export const withPace = "firestore.rules --pace";

/** all are the texts of rules that have a table. */
export const all = [...files, withPace] as const;
export type File = (typeof all)[number];

const text = (file: File): string => readFileSync(join(root, file.split(" ")[0]!), "utf8");

/** rules are the texts by name. The text of withPace is made in the same way as by config.Paced. */
export const rules = Object.fromEntries(
  all.map((file) => [file, file === withPace ? text(file).replace(/(function hasPace\(\) \{\s*return )false;/, "$1true;") : text(file)]),
) as Record<File, string>;

export class Lane {
  private readonly owner: Firestore;
  private readonly clients: Record<Who, Firestore>;
  private readonly senders: Record<Who, Sender>;

  private constructor(private readonly project: string) {
    this.owner = client("owner", project);
    const open = (w: Who) => [
      w,
      client(w === "signed-out" ? undefined : { sub: uids[w], ...claims[w], ...(w === "anonymous" && { provider_id: w }) }, project),
    ];
    this.clients = Object.fromEntries(who.map(open)) as Record<Who, Firestore>;
    this.senders = Object.fromEntries(who.map((w) => [w, sender(project, w === "signed-out" ? undefined : uids[w], claims[w])])) as Record<Who, Sender>;
  }

  /**
   * open creates the database, with the world in it. The emulator creates a project at its first use. A project whose name begins
   * with demo- would have triggers.
   */
  static async open(project: string, file: File): Promise<Lane> {
    const lane = new Lane(project);
    await lane.load(rules[file]);
    await lane.store(Object.keys(world));
    return lane;
  }

  /** load replaces the rules. If they do not compile, it throws the emulator's message. */
  async load(content: string): Promise<void> {
    const answer = await fetch(`http://${at.firestoreHost}/emulator/v1/projects/${this.project}:securityRules`, {
      method: "PUT",
      body: JSON.stringify({ rules: { files: [{ name: "firestore.rules", content }] } }),
    });
    if (!answer.ok) {
      throw new Error(`rules are refused: ${await answer.text()}`);
    }
  }

  /**
   * allows tries a cell and reports whether the rules allow the operation. A rejection for another reason than permission throws
   * an error: a malformed request must not count as a denied one.
   */
  async allows(cell: Omit<Cell, "allowed">): Promise<boolean> {
    const { writes = [], absent, there = {}, run } = cell.operation(uids[cell.who]);
    const emptied = absent ? writes.filter((path) => path in world) : [];
    if (emptied.length > 0) {
      await this.store(emptied, {});
    }
    if (Object.keys(there).length > 0) {
      await this.store(Object.keys(there), there);
    }
    let allowed = true;
    try {
      await run(this.clients[cell.who], this.senders[cell.who]);
    } catch (err) {
      if ((err as { code?: string }).code !== "permission-denied") {
        throw new Error(`${cell.document}: ${cell.what}, by ${cell.who}: neither allowed nor denied`, { cause: err });
      }
      allowed = false;
    }
    const changed = [...(allowed ? writes : emptied), ...Object.keys(there)];
    if (changed.length > 0) {
      await this.store(changed);
    }
    return allowed;
  }

  /** store sets documents to their state in the world, or in another world. It deletes documents that the world does not have. */
  async store(paths: string[], from: Record<string, Fields> = world): Promise<void> {
    const batch = writeBatch(this.owner);
    for (const path of paths) {
      const data = from[path];
      data ? batch.set(doc(this.owner, path), data) : batch.delete(doc(this.owner, path));
    }
    await batch.commit();
  }

  async close(): Promise<void> {
    await Promise.all([this.owner, ...Object.values(this.clients)].map(({ app }) => deleteApp(app)));
  }
}

/** spread opens n lanes, or fewer if there is less work, and does all the work in them. Each lane does one piece of work at a time. */
export async function spread<T>(n: number, name: string, file: File, work: T[], one: (lane: Lane, piece: T) => Promise<void>): Promise<void> {
  const left = [...work];
  await Promise.all(
    Array.from({ length: Math.min(n, work.length) }, async (_, i) => {
      const lane = await Lane.open(`rules-${name}-${all.indexOf(file)}-${i}`, file);
      for (let piece = left.shift(); piece !== undefined; piece = left.shift()) {
        await one(lane, piece);
      }
      await lane.close();
    }),
  );
}
