import { expect, test } from "vitest";
import { ClientError, codeOf, errorMessage, errorTexts, reasonOf } from "relationindex-client";

import { until } from "../../../client/src/errors.ts";

const ofAuth = (code: string) => Object.assign(new Error(`Firebase: Error (auth/${code}).`), { code: `auth/${code}` });

test.for([
  ["invalid-credential", "wrong-sign-in"],
  ["user-not-found", "wrong-sign-in"],
  ["email-already-in-use", "email-taken"],
  ["weak-password", "weak-password"],
  ["missing-email", "invalid-email"],
  ["popup-blocked", "popup-blocked"],
  ["popup-closed-by-user", "cancelled"],
  ["user-disabled", "account-disabled"],
  ["requires-recent-login", "sign-in-again"],
  ["too-many-requests", "resource-exhausted"],
  ["network-request-failed", "unavailable"],
  ["unauthorized-domain", "failed-precondition"],
  ["of-a-later-release", "unknown"],
  ["constructor", "unknown"],
] as const)("auth/%s is %s, with a sentence", ([code, want]) => {
  expect([codeOf(ofAuth(code)), errorMessage(ofAuth(code))]).toEqual([want, errorTexts[want]]);
});

test("a sentence is that of the reason, else of the code, and an app may replace it", () => {
  const closed = new ClientError("permission-denied", "no", "closed"),
    denied = new ClientError("permission-denied", "no");
  expect([reasonOf(closed), reasonOf(denied), reasonOf(new Error("no"))]).toEqual(["closed", "", ""]);
  expect([errorMessage(closed), errorMessage(denied)]).toEqual([errorTexts.closed, errorTexts["permission-denied"]]);
  const german = { closed: "Dieses Konto ist privat." };
  expect([errorMessage(closed, german), errorMessage(denied, german)]).toEqual(["Dieses Konto ist privat.", errorTexts["permission-denied"]]);
});

test("an error has a name and its cause", () => {
  const cause = new Error("of the SDK"),
    error = new ClientError("permission-denied", "no", "refused", cause);
  expect([error.name, error.cause, String(error)]).toEqual(["ClientError", cause, "ClientError: no"]);
});

test("a promise is left when its signal aborts", async () => {
  const never = new Promise<string>(() => {}),
    caller = new AbortController();
  const waits = until(caller.signal, never);
  caller.abort("the page has gone");
  await expect(waits).rejects.toMatchObject({ code: "cancelled", cause: "the page has gone" });
  await expect(until(caller.signal, Promise.resolve("late"))).rejects.toMatchObject({ code: "cancelled" });
  const other = new AbortController();
  expect(await until(other.signal, Promise.resolve("done"))).toBe("done");
  await expect(until(other.signal, Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  expect(await until(undefined, Promise.resolve("done"))).toBe("done");
});
