// People for the tests, signed up at the Auth emulator, each with a client of their own as on a device of their own.
import { randomUUID } from "node:crypto";

import { type FirebaseApp, deleteApp } from "firebase/app";
import type { Auth, User } from "firebase/auth";
import { type Firestore, setLogLevel } from "firebase/firestore";

import type { Addresses } from "../system.ts";
import type { Snippet } from "./snippets.ts";

setLogLevel("silent"); // what the rules refuse is an error to the SDK; the tests want it

export interface Person {
  uid: string;
  user: User;
  auth: Auth;
  db: Firestore;
}

export class People {
  private readonly apps: FirebaseApp[] = [];

  constructor(
    private readonly at: Addresses,
    private readonly web: Record<string, Snippet>,
  ) {}

  /** config is what `dev` serves at /config.json. */
  config(): object {
    const { project, firestoreHost, authHost } = this.at;
    return { firebase: { projectId: project, apiKey: "demo" }, emulators: { firestoreHost, authHost } };
  }

  /** join signs up somebody new: nobody else's documents are about them. */
  async join(name: string): Promise<Person> {
    const { auth, db } = this.web["connect"](this.config(), `${name}-${randomUUID()}`) as { auth: Auth; db: Firestore };
    this.apps.push(auth.app);
    const user: User = await this.web["signUp"](auth, `${name}-${randomUUID()}@example.com`, "correct horse");
    return { uid: user.uid, user, auth, db };
  }

  async leave(): Promise<void> {
    await Promise.all(this.apps.map((app) => deleteApp(app)));
  }
}
