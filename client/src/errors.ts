/** Sentences for errors of Firestore and Feed, for the person who uses the app. */
import type { FirestoreErrorCode } from "firebase/firestore";

/** The codes of Firestore and Feed. */
export type Code = FirestoreErrorCode | "method-not-allowed" | "no-room";

const again = "Something went wrong. Try again.";

const words: Record<Code, string> = {
  "permission-denied": "This is not allowed.",
  unauthenticated: "Your sign-in has ended. Sign in again.",
  unavailable: "The server cannot be reached. Check your connection.",
  "deadline-exceeded": "The server cannot be reached. Check your connection.",
  "not-found": "This no longer exists.",
  "already-exists": "This exists already.",
  "invalid-argument": "The server rejected this. It may be too long: shorten it.",
  "out-of-range": "The server rejected this. It may be too long: shorten it.",
  "resource-exhausted": "Too much at once. Wait a minute, then try again.",
  "failed-precondition": "This app's server does not support this. Tell the people who run the app.",
  unimplemented: "This app's server does not support this. Tell the people who run the app.",
  "method-not-allowed": "This app's server does not support this. Tell the people who run the app.",
  "no-room": "The list of filters is full. Remove one first.",
  aborted: again,
  cancelled: again,
  internal: again,
  "data-loss": again,
  unknown: again,
};

/** An error of this package or of Feed. Its message is for developers. */
export class ClientError extends Error {
  constructor(readonly code: Code, message: string) {
    super(message);
  }
}

/** Codes by HTTP status, because a proxy may respond instead of Feed, with HTML or nothing. */
const statuses: Record<number, Code> = {
  400: "invalid-argument", 401: "unauthenticated", 403: "permission-denied", 404: "not-found", 405: "method-not-allowed", 429: "resource-exhausted", 500: "internal",
};

/** Feed's error response, or no response at all. */
export class FeedError extends ClientError {
  constructor(code: Code, message: string, /** Seconds until the next request is allowed. */ readonly retryAfter = 0) {
    super(code, message);
  }

  static async of(answer: Response): Promise<FeedError> {
    const { error } = (await answer.json().catch(() => ({}))) as { error?: { message?: string } };
    return new FeedError(statuses[answer.status] ?? "unavailable", error?.message ?? `Feed answered ${answer.status}`, Number(answer.headers.get("retry-after")) || 0);
  }
}

/** Returns the code of an error; "": it is neither Firestore's nor this package's. */
export function codeOf(error: unknown): Code | "" {
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
  return Object.hasOwn(words, code) ? (code as Code) : "";
}

/** Returns a sentence to show for an error. */
export function say(error: unknown): string {
  const code = codeOf(error);
  return code ? words[code] : error instanceof Error ? error.message : String(error);
}
