/** The two times of users/{me}/settings/read: up to which the account has read its timeline, and has seen its notifications. */
import { getDoc, setDoc, Timestamp, type Firestore } from "firebase/firestore";
import { codeOf } from "./errors.ts";
import { readPath } from "./paths.ts";

/**
 * Moves a mark forward: one write, merged, because the document has both. The rules reject one that is older than the stored mark,
 * such as one that waited on a phone that was offline. Then the stored one is read, and all is done.
 */
export async function mark(db: Firestore, me: string, which: "readAt" | "notifiedAt", at: Timestamp): Promise<void> {
  try {
    await setDoc(readPath(db, me), { [which]: at }, { merge: true });
  } catch (error) {
    const stored: unknown = codeOf(error) === "permission-denied" && (await getDoc(readPath(db, me)).catch(() => null))?.get(which);
    if (!(stored instanceof Timestamp) || stored < at) throw error;
  }
}
