/**
 * Pictures by other users. Their addresses are text of whoever wrote them, and who serves a picture learns who looks at it. So the app
 * asks only for pictures in the project's own bucket of Cloud Storage, and for those that Google keeps of its accounts.
 */
import type { Fields } from "relationindex-client";

const places = ["https://lh3.googleusercontent.com/"];

/** Adds the project's bucket, as the Firebase console shows it. */
export const allowBucket = (bucket = ""): void => void (/^[\w.-]+$/.test(bucket) && places.push(`https://firebasestorage.googleapis.com/v0/b/${bucket}/o/`));

export const isOurPicture = (address: string): boolean => URL.canParse(address) && places.some((place) => new URL(address).href.startsWith(place));

export interface Photo {
  url: string;
  width: number;
  height: number;
}

/** The photo of a post, as docs/fields.md describes it; undefined: none, or not one to show. */
export function photoOf(fields: Fields): Photo | undefined {
  const { url, width, height } = (fields["photo"] ?? {}) as Partial<Record<keyof Photo, unknown>>;
  const isSize = (size: unknown): size is number => Number.isInteger(size) && (size as number) > 0 && (size as number) <= 20_000;
  return typeof url === "string" && isOurPicture(url) && isSize(width) && isSize(height) ? { url, width, height } : undefined;
}
