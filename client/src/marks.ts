/** The two times of users/{me}/settings/read: up to which the account has read its timeline, and has seen its notifications. */
import { setDoc, Timestamp } from "firebase/firestore";
import { codeOf } from "./errors.ts";
import type { Me } from "./me.ts";
import { stored } from "./pace.ts";
import { readPath } from "./paths.ts";

/**
 * Moves a mark forward: one write, merged, because the document has both. The rules reject one that is older than the stored mark,
 * such as one that waited on a phone that was offline. Then the stored one is read, and all is done.
 */
export async function mark(me: Me, which: "readAt" | "notifiedAt", at: Timestamp): Promise<void> {
  me.check();
  try {
    await setDoc(readPath(me.db, me.id), { [which]: at }, { merge: true });
  } catch (error) {
    const now: unknown = codeOf(error) === "permission-denied" && (await stored(readPath(me.db, me.id)))?.get(which);
    if (!(now instanceof Timestamp) || now < at) throw error;
  }
}
