/**
 * Pictures by other users. Their addresses are text of whoever wrote them, and a server that is asked for a picture learns who looks at
 * it. So the app asks only hosts that hold the pictures of Firebase apps: Cloud Storage, and Google's own of an account. Pure.
 */
import type { Fields } from "relationindex-client";

const hosts = ["firebasestorage.googleapis.com", "lh3.googleusercontent.com"];

export function isOurPicture(address: string): boolean {
  const url = URL.parse(address);
  return url?.protocol === "https:" && url.port === "" && hosts.includes(url.host);
}

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
