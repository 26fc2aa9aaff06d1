// The lanes of a test file, and how cells are spread over them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setLogLevel } from "firebase/firestore";
import { inject } from "vitest";

import { root } from "../system.ts";
import { Lane } from "./lane.ts";
import type { Cell } from "./row.ts";
import { uids } from "./world.ts";

export const rules = readFileSync(join(root, "firestore.rules"), "utf8");

setLogLevel("silent"); // a denied write is an error to the SDK, and a cell to us

/** openLanes opens n lanes with the project's rules. name keeps those of a test file apart from others'. */
export function openLanes(name: string, n: number): Promise<Lane[]> {
  const { firestoreHost } = inject("system");
  return Promise.all(Array.from({ length: n }, (_, i) => Lane.open(firestoreHost, `demo-${name}-${i}`, rules)));
}

/** spread does work with the lanes, each at one piece at a time, until there is none left. */
export async function spread<T>(lanes: Lane[], work: T[], one: (lane: Lane, piece: T) => Promise<void>): Promise<void> {
  const left = [...work];
  await Promise.all(
    lanes.map(async (lane) => {
      for (let piece = left.shift(); piece !== undefined; piece = left.shift()) {
        await one(lane, piece);
      }
    }),
  );
}

/** attempt tries a cell. Its error says which one it was. */
export async function attempt(lane: Lane, cell: Cell): Promise<boolean> {
  try {
    return await lane.allows(cell.who, cell.operation(uids[cell.who]));
  } catch (err) {
    throw new Error(`${cell.document}: ${cell.what}, by ${cell.who}: neither allowed nor denied`, { cause: err });
  }
}
