import { describe, expect, test } from "vitest";

import { datesIn } from "../../src/app/views/dates.ts";

// By the clock of whoever runs the tests: a date without a zone. It is Thursday.
const now = new Date("2026-11-12T14:30:00");
const at = (time: string) => new Date(time);
const before = (seconds: number) => new Date(now.getTime() - seconds * 1000);

describe("a time", () => {
  const { short, full } = datesIn("en-GB");

  test.each([
    ["now", before(0)],
    ["now", before(59.9)],
    ["1 min", before(60)],
    ["59 min", before(3_599)],
    ["1 h", before(3_600)],
    ["14 h", at("2026-11-12T00:01:00")],
    ["23 h", at("2026-11-11T14:31:00")],
    ["Yesterday", at("2026-11-11T14:30:00")],
    ["Yesterday", at("2026-11-11T00:00:00")],
    ["Tue", at("2026-11-10T23:59:00")],
    ["Fri", at("2026-11-06T00:00:00")],
    ["5 Nov", at("2026-11-05T23:59:00")],
    ["1 Jan", at("2026-01-01T00:00:00")],
    ["31 Dec 2025", at("2025-12-31T23:59:00")],
    ["12 Nov 2024", at("2024-11-12T12:00:00")],
    ["1 Jan 1970", at("1970-01-01T12:00:00")],
  ])("is %s", (shown, time) => {
    expect(short(time, now)).toBe(shown);
  });

  test("ahead of this clock is now, and a date beyond an hour", () => {
    expect(short(before(-3_599), now)).toBe("now");
    expect(short(before(-3_600), now)).toBe("12 Nov");
    expect(short(at("2027-01-02T00:00:00"), now)).toBe("2 Jan 2027");
  });

  test("of a day of 23 or 25 hours is of that day", () => {
    for (const change of ["2026-03-29", "2026-10-25", "2026-03-08", "2026-11-01"]) {
      const morning = new Date(`${change}T23:30:00`);
      expect(short(new Date(morning.getFullYear(), morning.getMonth(), morning.getDate() - 1, 1), morning), change).toBe("Yesterday");
    }
  });

  test("is in the reader's language", () => {
    const times = [
      before(0),
      before(300),
      before(10_800),
      at("2026-11-11T09:00:00"),
      at("2026-11-10T09:00:00"),
      at("2026-03-12T09:00:00"),
      at("2024-11-12T09:00:00"),
    ];
    const all = (locale: string) => times.map((time) => datesIn(locale).short(time, now));
    expect(all("en-US")).toEqual(["now", "5 min", "3 h", "Yesterday", "Tue", "Mar 12", "Nov 12, 2024"]);
    expect(all("de")).toEqual(["jetzt", "5 Min.", "3 Std.", "Gestern", "Di", "12. März", "12. Nov. 2024"]);
    expect(all("ja")).toEqual(["今", "5 分", "3 時間", "昨日", "火", "3月12日", "2024年11月12日"]);
  });

  test("has its date and time in full to point at", () => {
    expect(full(at("2026-11-12T14:30:00"))).toMatch(/^Thursday,? 12 November 2026 at 14:30$/);
    expect(datesIn("de").full(at("2026-11-12T14:30:00"))).toBe("Donnerstag, 12. November 2026 um 14:30");
  });
});
