/** The fields of documents. Another client may have written any value: what has the wrong type becomes empty. */

/** A document's fields, as they are stored. */
export type Fields = Record<string, unknown>;

/**
 * Decodes an app's own fields of a post or an account. It gets all fields of the document, which other clients may have written: it
 * must take any value. Through Feed, times are texts: timeOf reads both. What it throws is the error of the list.
 */
export type Decoder<F> = (data: Fields) => F;

export const textIn = (data: Fields, name: string): string => (typeof data[name] === "string" ? data[name] : "");

export const textsIn = (data: Fields, name: string): string[] => {
  const value = data[name];
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
};

/** A number that the functions keep in `counts`; 0: missing, or not a number. */
export function countIn(data: Fields, name: string): number {
  const counts: unknown = data["counts"];
  const value: unknown = typeof counts === "object" && counts !== null ? (counts as Fields)[name] : 0;
  return typeof value === "number" && value > 0 ? Math.min(Math.floor(value), Number.MAX_SAFE_INTEGER) : 0;
}

/** An address of a picture: https only, at most 2,000 characters; "": none. */
export function addressIn(data: Fields, name: string): string {
  const text = textIn(data, name);
  return /^https:\/\/[^\s"'<>\\]+$/.test(text) && text.length <= 2_000 ? text : "";
}

/** A time, as Firestore has it or as Feed writes it; undefined: it is none. */
export function timeOf(value: unknown): Date | undefined {
  const millis =
    typeof value === "string"
      ? Date.parse(value)
      : typeof value === "object" && value !== null && "toMillis" in value && typeof value.toMillis === "function"
        ? Number(value.toMillis())
        : NaN;
  return Number.isNaN(millis) ? undefined : new Date(millis);
}
