// A lane is a database of its own on the emulator, with rules of its own and one client for each column of the table.
// Lanes run side by side; in a lane writes go one after the other, so that each finds the world as it should be.
import { type RulesTestEnvironment, initializeTestEnvironment } from "@firebase/rules-unit-testing";
import { type Firestore, doc, writeBatch } from "firebase/firestore";

import type { Operation } from "./operations.ts";
import { type Fields, type Who, uids, who, world } from "./world.ts";

export class Lane {
  private readonly clients = new Map<Who, Firestore>();

  private constructor(
    private readonly env: RulesTestEnvironment,
    private readonly admin: Firestore,
    private readonly leave: () => Promise<void>,
  ) {
    for (const w of who) {
      const context =
        w === "signed-out"
          ? env.unauthenticatedContext()
          : env.authenticatedContext(uids[w], w === "anonymous" ? { provider_id: "anonymous" } : {});
      this.clients.set(w, context.firestore() as unknown as Firestore);
    }
  }

  /** open makes the database, with the world in it. A project of the emulator begins to be with its first use. */
  static async open(firestoreHost: string, project: string, rules: string): Promise<Lane> {
    const [host, port] = firestoreHost.split(":");
    const env = await initializeTestEnvironment({
      projectId: project,
      firestore: { host: host!, port: Number(port), rules },
    });
    await env.clearFirestore();
    // The client that no rule binds lives as long as its callback.
    let leave = () => {};
    let ended = Promise.resolve();
    const admin = await new Promise<Firestore>((resolve, reject) => {
      ended = env.withSecurityRulesDisabled((context) => {
        resolve(context.firestore() as unknown as Firestore);
        return new Promise<void>((end) => (leave = end));
      });
      ended.catch(reject);
    });
    const lane = new Lane(env, admin, () => (leave(), ended));
    await lane.store(Object.keys(world));
    return lane;
  }

  /** load replaces the rules. It throws what the emulator says if they do not compile. */
  async load(rules: string): Promise<void> {
    const { host, port } = this.env.emulators.firestore!;
    const answer = await fetch(`http://${host}:${port}/emulator/v1/projects/${this.env.projectId}:securityRules`, {
      method: "PUT",
      body: JSON.stringify({ rules: { files: [{ name: "firestore.rules", content: rules }] } }),
    });
    if (!answer.ok) {
      throw new Error(`rules are refused: ${await answer.text()}`);
    }
  }

  /**
   * allows runs an operation and says whether the rules let it through. An answer that is about the request, and not
   * about permission, is an error: a malformed request must not pass for a denied one.
   */
  async allows(w: Who, operation: Operation): Promise<boolean> {
    if (operation.writes !== undefined && operation.absent) {
      await writeBatch(this.admin).delete(doc(this.admin, operation.writes)).commit();
    }
    let allowed = true;
    try {
      await operation.run(this.clients.get(w)!);
    } catch (err) {
      if ((err as { code?: string }).code !== "permission-denied") {
        throw err;
      }
      allowed = false;
    }
    if (operation.writes !== undefined && (allowed || operation.absent)) {
      await this.store([operation.writes]);
    }
    return allowed;
  }

  /** store puts documents there as the world has them, or has them not; or as another world does. */
  async store(paths: string[], from: Record<string, Fields> = world): Promise<void> {
    const batch = writeBatch(this.admin);
    for (const path of paths) {
      const data = from[path];
      data ? batch.set(doc(this.admin, path), data) : batch.delete(doc(this.admin, path));
    }
    await batch.commit();
  }

  async close(): Promise<void> {
    await this.leave();
    await this.env.cleanup();
  }
}
