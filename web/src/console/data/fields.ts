/** Readers of fields. A developer's database may contain anything: a field of an unexpected type counts as missing. */
import { Timestamp } from "firebase/firestore";

export type Fields = Record<string, unknown>;

/** Reads fields of a document, each by its reader. */
export function fieldsOf<T extends Fields>(data: Fields, readers: { [K in keyof T]: (value: unknown) => T[K] }): T {
  return Object.fromEntries(Object.entries(readers).map(([name, read]) => [name, read(data[name])])) as T;
}

export const text = (value: unknown): string => (typeof value === "string" ? value : "");
export const known = (value: unknown): number | null => (typeof value === "number" && Number.isFinite(value) ? value : null);
export const whole = (value: unknown): number => known(value) ?? 0;
export const flag = (value: unknown): boolean => value === true;
export const date = (value: unknown): Date | null => (value instanceof Timestamp ? value.toDate() : null);
export const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
export const texts = (value: unknown): string[] => list(value).map(text);

/** Returns a map; null for any other value. Timestamps, references and geo points are objects, but no maps. */
export const map = (value: unknown): Fields | null =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype ? (value as Fields) : null;

/** Returns a reader of maps with values of one type. */
export const mapOf =
  <T>(read: (value: unknown) => T) =>
  (value: unknown): Record<string, T> =>
    Object.fromEntries(Object.entries(map(value) ?? {}).map(([name, v]) => [name, read(v)]));
