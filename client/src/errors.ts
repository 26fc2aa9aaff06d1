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

/** An error of this package, or of Feed; its message is for developers. */
export class ClientError extends Error {
  constructor(readonly code: Code, message: string) {
    super(message);
  }
}

/** By its status: in place of Feed, a proxy may answer, with HTML or nothing. */
const statuses: Record<number, Code> = {
  400: "invalid-argument", 401: "unauthenticated", 403: "permission-denied", 404: "not-found", 405: "method-not-allowed", 429: "resource-exhausted", 500: "internal",
};

/** What Feed has answered instead of a page, or that it was not reached. */
export class FeedError extends ClientError {
  constructor(code: Code, message: string, /** Seconds until it may be asked again. */ readonly retryAfter = 0) {
    super(code, message);
  }

  static async of(answer: Response): Promise<FeedError> {
    const { error } = (await answer.json().catch(() => ({}))) as { error?: { message?: string } };
    return new FeedError(statuses[answer.status] ?? "unavailable", error?.message ?? `Feed answered ${answer.status}`, Number(answer.headers.get("retry-after")) || 0);
  }
}

/** The code of an error; "" if it is neither Firestore's nor this package's. */
export function codeOf(error: unknown): Code | "" {
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
  return Object.hasOwn(words, code) ? (code as Code) : "";
}

/** What went wrong, in a sentence to show. */
export function say(error: unknown): string {
  const code = codeOf(error);
  return code ? words[code] : error instanceof Error ? error.message : String(error);
}
