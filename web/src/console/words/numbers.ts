/** Numbers and ids as the console shows them. Pure. */

const format = new Intl.NumberFormat("en");

/** 1950 → "1,950". */
export const number = (n: number): string => format.format(n);

/** (1, "read") → "1 read", (1950, "read") → "1,950 reads". For an irregular plural, pass `many`. */
export const count = (n: number, one: string, many = `${one}s`): string => `${number(n)} ${n === 1 ? one : many}`;

/** (3, 120) → "3 of 120". */
export const outOf = (n: number, most: number): string => `${number(n)} of ${number(most)}`;

/** 63 → "63 B", 5000 → "4.9 KiB", 786432 → "768 KiB". */
export function bytes(n: number): string {
  if (n < 1024) return `${n} B`;
  const [value, unit] = n < 1024 * 1024 ? [n / 1024, "KiB"] : [n / 1024 / 1024, "MiB"];
  return `${value < 10 && !Number.isInteger(value) ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

/** Milliseconds: 12 → "12 ms", 1400 → "1.4 s", 90000 → "1.5 min". */
export const duration = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : ms < 60_000 ? `${tenths(ms / 1000)} s` : `${tenths(ms / 60_000)} min`);

const tenths = (n: number): string => n.toFixed(1).replace(/\.0$/, "");

/**
 * Shortens a version of an index document, which begins as a time: 7 → "v 7", 1795356709127 → "v …9127". Callers put the whole
 * version into a title.
 */
export const version = (n: number): string => (n < 10_000 ? `v ${n}` : `v …${String(n).slice(-4)}`);

/** Returns the share of a whole, 0 to 1; 0 if the whole is 0. */
export const share = (part: number, of: number): number => (of > 0 ? Math.min(1, Math.max(0, part / of)) : 0);

/** Shortens an id to at most `most` characters: a longer id loses its middle. Callers put the whole id into a title. */
export function clip(id: string, most = 24): string {
  const characters = [...id];
  if (characters.length <= most) return id;
  const head = Math.ceil((most - 1) / 2);
  return `${characters.slice(0, head).join("")}…${characters.slice(characters.length - (most - 1 - head)).join("")}`;
}
