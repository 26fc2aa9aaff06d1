/** What an error of the SDK, or of Feed, means to the person in front of the page. */
const words: Record<string, string> = {
  "auth/email-already-in-use": "There is an account with this e-mail address. Sign in instead.",
  "auth/invalid-credential": "This e-mail address and password do not go together.",
  "auth/user-not-found": "This e-mail address and password do not go together.",
  "auth/wrong-password": "This e-mail address and password do not go together.",
  "auth/invalid-email": "This is not an e-mail address.",
  "auth/weak-password": "The password needs at least six characters.",
  "auth/user-disabled": "This account has been disabled.",
  "auth/too-many-requests": "Too many tries. Wait a minute, then try again.",
  "auth/network-request-failed": "The server cannot be reached.",
  "permission-denied": "This is not allowed.",
  unauthenticated: "Your sign-in has ended. Sign in again.",
  unavailable: "The server cannot be reached.",
  "not-found": "This is no longer there.",
  "invalid-argument": "The server does not take this: it may be too long.",
  "resource-exhausted": "Too much at once. Wait a minute, then try again.",
  "failed-precondition": "The server is not set up for this: an index may be missing.",
};

/** The code of an error, as "permission-denied" or "auth/weak-password"; empty if it has none. */
export function codeOf(error: unknown): string {
  return typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
}

export function say(error: unknown): string {
  return words[codeOf(error)] ?? (error instanceof Error ? error.message : String(error));
}
