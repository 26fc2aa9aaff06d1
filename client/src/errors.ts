/** What an error of Firestore, or of Feed, means to the person in front of the page. */
import type { FirestoreErrorCode } from "firebase/firestore";

/** Firestore's codes, and Feed's. */
export type Code = FirestoreErrorCode | "method-not-allowed" | "no-room";

const again = "Something went wrong. Try again.";

const words: Record<Code, string> = {
  "permission-denied": "This is not allowed.",
  unauthenticated: "Your sign-in has ended. Sign in again.",
  unavailable: "The server cannot be reached.",
  "deadline-exceeded": "The server cannot be reached.",
  "not-found": "This is no longer there.",
  "already-exists": "This is there already.",
  "invalid-argument": "The server does not take this: it may be too long.",
  "out-of-range": "The server does not take this: it may be too long.",
  "resource-exhausted": "Too much at once. Wait a minute, then try again.",
  "failed-precondition": "The server is not set up for this.",
  unimplemented: "The server is not set up for this.",
  "method-not-allowed": "The server is not set up for this.",
  "no-room": "There is no room for another filter: take one back first.",
  aborted: again,
  cancelled: again,
  internal: again,
  "data-loss": again,
  unknown: again,
};

/** An error of this package, or of Feed, with its message for developers. */
export class ClientError extends Error {
  constructor(readonly code: Code, message: string) {
    super(message);
  }
}

/** The code of an error; "" if it is neither Firestore's nor this package's. */
export function codeOf(error: unknown): Code | "" {
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
  return code in words ? (code as Code) : "";
}

/** What went wrong, in a sentence to show. */
export function say(error: unknown): string {
  const code = codeOf(error);
  return code ? words[code] : error instanceof Error ? error.message : String(error);
}
