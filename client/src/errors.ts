/** Errors of Firestore, Auth, Feed and this package: a code for each, and a sentence for the person who uses the app. */
import type { FirestoreErrorCode } from "firebase/firestore";

/** The codes of Firestore, Auth and Feed. */
export type Code =
  | FirestoreErrorCode
  | "method-not-allowed"
  | "no-room"
  | "wrong-sign-in"
  | "email-taken"
  | "weak-password"
  | "invalid-email"
  | "popup-blocked"
  | "account-disabled"
  | "sign-in-again";

/**
 * Why an act was not allowed, as far as this account may know. no-profile: it has no document users/{uid} yet. closed: the other
 * account is closed, so ask it. open: it is not closed any more, so follow it (of useFollow alone). gone: the account or the post does not exist, or may not be read any more. refused: a block, or a
 * used-up pace.
 */
export type Reason = "no-profile" | "closed" | "open" | "gone" | "refused";

const again = "Something went wrong. Try again.";

/** The sentences, which an app may replace: errorMessage(error, { ...errorTexts, unavailable: "…" }). */
export const errorTexts: Readonly<Record<Code | Reason, string>> = {
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
  "wrong-sign-in": "This e-mail address and password do not go together.",
  "email-taken": "There is an account with this e-mail address. Sign in instead.",
  "weak-password": "The password needs at least six characters.",
  "invalid-email": "This is not an e-mail address.",
  "popup-blocked": "The browser blocked the window for signing in. Allow it, and try again.",
  "account-disabled": "This account has been disabled.",
  "sign-in-again": "Sign in again first.",
  "no-profile": "Your account has no name yet. Give it one first.",
  closed: "This account is private now: you can ask to follow it.",
  open: "This account is open now: you can follow it.",
  gone: "This no longer exists, or you may not see it any more.",
  refused: "This is not allowed.",
};

/** Auth's codes, without "auth/". */
const authCodes: Record<string, Code> = {
  "invalid-credential": "wrong-sign-in",
  "wrong-password": "wrong-sign-in",
  "user-not-found": "wrong-sign-in",
  "email-already-in-use": "email-taken",
  "account-exists-with-different-credential": "email-taken",
  "weak-password": "weak-password",
  "invalid-email": "invalid-email",
  "missing-email": "invalid-email",
  "popup-blocked": "popup-blocked",
  "popup-closed-by-user": "cancelled",
  "cancelled-popup-request": "cancelled",
  "user-disabled": "account-disabled",
  "requires-recent-login": "sign-in-again",
  "user-token-expired": "unauthenticated",
  "too-many-requests": "resource-exhausted",
  "network-request-failed": "unavailable",
  "operation-not-allowed": "failed-precondition",
  "unauthorized-domain": "failed-precondition",
};

/** An error of this package or of Feed. Its message is for developers. */
export class ClientError extends Error {
  override readonly name: string = "ClientError";

  constructor(
    readonly code: Code,
    message: string,
    /** Why an act was not allowed. */ readonly reason?: Reason,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/** Codes by HTTP status, because a proxy may respond instead of Feed, with HTML or nothing. */
const statuses: Record<number, Code> = {
  400: "invalid-argument",
  401: "unauthenticated",
  403: "permission-denied",
  404: "not-found",
  405: "method-not-allowed",
  429: "resource-exhausted",
  500: "internal",
};

/** Feed's error response, or no response at all. */
export class FeedError extends ClientError {
  override readonly name = "FeedError";

  constructor(
    code: Code,
    message: string,
    /** Seconds until the next request is allowed. */ readonly retryAfter = 0,
  ) {
    super(code, message);
  }

  static async of(answer: Response): Promise<FeedError> {
    const { error } = (await answer.json().catch(() => ({}))) as { error?: { message?: string } };
    return new FeedError(
      statuses[answer.status] ?? "unavailable",
      error?.message ?? `Feed answered ${answer.status}`,
      Number(answer.headers.get("retry-after")) || 0,
    );
  }
}

/** Returns the code of an error; "": it is neither Firebase's nor this package's. */
export function codeOf(error: unknown): Code | "" {
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
  const ofAuth = code.startsWith("auth/") && code.slice("auth/".length);
  if (ofAuth) return Object.hasOwn(authCodes, ofAuth) ? authCodes[ofAuth]! : "unknown";
  return Object.hasOwn(errorTexts, code) ? (code as Code) : "";
}

/** Returns why an act was not allowed; "": the error does not say. */
export const reasonOf = (error: unknown): Reason | "" => (error instanceof ClientError ? (error.reason ?? "") : "");

/** Returns a sentence to show for an error: that of its reason, or of its code. */
export function errorMessage(error: unknown, texts: Readonly<Partial<Record<Code | Reason, string>>> = errorTexts): string {
  const code = reasonOf(error) || codeOf(error);
  return code ? (texts[code] ?? errorTexts[code]) : error instanceof Error ? error.message : String(error);
}

/** Settles as the promise does, or rejects with cancelled when the signal aborts: its reads are paid all the same. */
export async function until<T>(signal: AbortSignal | undefined, promise: Promise<T>): Promise<T> {
  if (!signal) return promise;
  return new Promise<T>((resolve, reject) => {
    const cancel = () => reject(new ClientError("cancelled", "the caller cancelled this", undefined, signal.reason));
    if (signal.aborted) cancel();
    signal.addEventListener("abort", cancel, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", cancel));
  });
}
