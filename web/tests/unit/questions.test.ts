// When answers about the items of a page are asked: client/src/questions.ts.
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { Me } from "relationindex-client";
import { Questions } from "../../../client/src/questions.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const me = { onReturn: () => () => {} } as unknown as Me;

test("an answer that nobody looks at is asked again when somebody looks at it a minute later", async () => {
  const asked: string[][] = [];
  const questions = new Questions<string>(me, 30, async (ids) => {
    asked.push(ids);
    return new Map(ids.map((id) => [id, `answer ${asked.length}`]));
  });
  const look = (id: string) => questions.of(id).subscribe(() => {});
  const leave = look("ada");
  await vi.advanceTimersByTimeAsync(1_000);
  leave();
  look("ada")();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toEqual([["ada"]]);

  const stay = look("ada");
  await vi.advanceTimersByTimeAsync(61_000);
  expect([asked.length, questions.of("ada").get()]).toEqual([2, "answer 2"]);
  look("ada"); // it is shown already
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked.length).toBe(2);
  stay();
  questions.close();
});
