// Accounts for tests, as client.as(user) makes them, over any client of Firestore.
import type { Firestore } from "firebase/firestore";
import type { Client, Decoder, Fields } from "relationindex-client";

import { Me } from "../../client/src/me.ts";
import { client } from "./firestore.ts";

/** Firebase Auth, as far as the package uses it. Who is signed in changes, as by another tab. */
export class Session {
  currentUser: { uid: string; getIdToken(): Promise<string> } | null = null;
  readonly watchers = new Set<() => void>();

  constructor(uid: string) {
    this.signIn(uid);
  }

  /** null: signs out. */
  signIn(uid: string | null): void {
    this.currentUser = uid === null ? null : { uid, getIdToken: () => Promise.resolve(`token of ${uid}`) };
    for (const watcher of [...this.watchers]) watcher();
  }

  onIdTokenChanged(watcher: () => void): () => void {
    const one = () => watcher();
    this.watchers.add(one);
    return () => void this.watchers.delete(one);
  }
}

export interface Given<P, A> {
  auth?: Session;
  config?: Client["config"];
  post?: Decoder<P>;
  account?: Decoder<A>;
}

const stored = (data: Fields) => data as never;

/** Returns the account of a client of Firestore, which is signed in until the test's session says otherwise. */
export function meOf<P = Fields, A = Fields>(
  db: Firestore,
  uid: string,
  { auth = new Session(uid), config = {}, post = stored, account = stored }: Given<P, A> = {},
): Me<P, A> {
  return new Me({ db, auth, config, post, account } as unknown as Client<P, A>, uid);
}

/** Returns an account with a client of its own. */
export const account = (uid: string, config: Client["config"] = {}, project?: string): Me<Fields, Fields> =>
  meOf(client({ sub: uid }, project), uid, { config });

/** For what is decoded without Firestore. */
export const nobody = meOf({} as Firestore, "nobody");
