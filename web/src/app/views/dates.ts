/** Times in short words: "now", "5 min", "3 h", "Yesterday", "Tue", "12 Nov", "12 Nov 2024". Pure. */
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

export interface Dates {
  /** Says how long before `now` a time was, or its date. A time up to an hour ahead is "now": this device's clock may be slow. */
  short(time: Date, now: Date): string;
  /** Says the date and the time in full. */
  full(time: Date): string;
}

/** Returns the dates of a locale; without one, of the reader's. Days begin at the reader's midnight. */
export function datesIn(locale?: string): Dates {
  const words = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  const date = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options);
  const weekday = date({ weekday: "short" });
  const ofThisYear = date({ day: "numeric", month: "short" });
  const ofAnyYear = date({ day: "numeric", month: "short", year: "numeric" });
  const full = date({ dateStyle: "full", timeStyle: "short" });
  const [minutes, hours] = [unit(locale, "minute", "min"), unit(locale, "hour", "h")];
  const language = full.resolvedOptions().locale;
  const capital = (text: string) => text.charAt(0).toLocaleUpperCase(language) + text.slice(1);

  return {
    short(time, now) {
      const passed = now.getTime() - time.getTime();
      if (passed < minute && passed > -hour) return words.format(0, "second");
      if (passed >= 0 && passed < hour) return minutes(Math.floor(passed / minute));
      if (passed >= 0 && passed < day) return hours(Math.floor(passed / hour));
      const nights = Math.round((midnight(now) - midnight(time)) / day); // a day may have 23 hours, or 25
      if (nights === 1) return capital(words.format(-1, "day"));
      if (nights > 1 && nights < 7) return weekday.format(time);
      return (time.getFullYear() === now.getFullYear() ? ofThisYear : ofAnyYear).format(time);
    },
    full: (time) => full.format(time),
  };
}

const midnight = (time: Date): number => new Date(time.getFullYear(), time.getMonth(), time.getDate()).getTime();

/** Formats numbers with a unit. English uses the symbol, because its short forms differ by country and have a plural. */
function unit(locale: string | undefined, name: string, symbol: string): (count: number) => string {
  const format = new Intl.NumberFormat(locale, { style: "unit", unit: name, unitDisplay: "short" });
  const english = format.resolvedOptions().locale.startsWith("en");
  return (count) => (english ? `${count} ${symbol}` : format.format(count));
}
