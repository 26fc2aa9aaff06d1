/** Links in a user's text: addresses of http(s), and #names. Pure: no SDK, no DOM. */
import { tagPattern, visibleText } from "relationindex-client";

export interface Part {
  /** The part as it stands in the text. */
  text: string;
  /** An address, as the URL parser writes it. */
  url?: string;
  /** A #name, in lower case. */
  tag?: string;
}

/** The most characters of an address. A longer run of characters stays text. */
const longestURL = 2_000;

/** The most links in a text. Further links stay text, because each link is an element of the page. */
const mostLinks = 500;

/** A run of characters that may be an address. Quotes and Chinese and Japanese punctuation, which needs no space, end it. */
const run = /(?<![A-Za-z0-9])https?:\/\/[^\s<>"\u201c\u201d\u00ab\u00bb\u3001\u3002\u300a-\u3011\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f]+/iu;
const link = new RegExp(`(?<url>${run.source})|${tagPattern.source}`, "giu");

/**
 * Returns the parts of a text up to `end`. A link at `end` is not cut: the parts then reach to the end of the link. Reads each
 * character a bounded number of times.
 */
export function partsOf(text: string, end = text.length): Part[] {
  const parts: Part[] = [];
  let from = 0;
  let links = 0;
  for (const match of text.slice(0, end + longestURL).matchAll(link)) {
    if (match.index >= end || links === mostLinks) break;
    const found = match.groups?.["url"] ? addressIn(match[0]) : { text: match[0], tag: match[0].toLowerCase() };
    if (!found) continue;
    if (match.index > from) parts.push({ text: text.slice(from, match.index) });
    parts.push(found);
    from = match.index + found.text.length;
    links++;
  }
  if (from < end) parts.push({ text: text.slice(from, end) });
  return parts;
}

/** Returns the address at the beginning of a run, without the punctuation of the sentence around it; null if there is none. */
function addressIn(run: string): Part | null {
  if (run.length > longestURL) return null;
  const text = run.slice(0, endOf(run));
  try {
    const { href, username, password } = new URL(text);
    // A user name before an @ looks like the host: https://bank.example@evil.example
    return username || password ? null : { text, url: href };
  } catch {
    return null;
  }
}

/** Returns where the address ends: before punctuation, and before a closing bracket that the address has not opened. */
function endOf(run: string): number {
  const count = (character: string) => run.split(character).length - 1;
  const unopened = new Map([")(", "][", "}{"].map(([close = "", open = ""]) => [close, count(close) - count(open)]));
  let end = run.length;
  for (; end > 0; end--) {
    const last = run.charAt(end - 1);
    const left = unopened.get(last) ?? 0;
    if (left > 0) unopened.set(last, left - 1);
    else if (!/[.,;:!?'`*_~\u2018\u2019\u2026]/.test(last)) break;
  }
  return end;
}

const longestHost = 40;
const longestPath = 28;

/**
 * Returns an address to show. The host is the one that the browser requests, in Punycode if it is not ASCII. A long host loses
 * its beginning, because the end says who owns the host. A long path loses its middle.
 */
export function shownAddress(address: string): string {
  const url = new URL(address);
  const host = url.host.length > longestHost ? `…${url.host.slice(-longestHost)}` : url.host;
  const rest = readable(`${url.pathname}${url.search}${url.hash}`.replace(/^\/$/, ""));
  const path = [...rest];
  const short = path.length > longestPath ? `${path.slice(0, longestPath / 2).join("")}…${path.slice(-longestPath / 2).join("")}` : rest;
  return visibleText(`${url.protocol === "http:" ? "http://" : ""}${host}${short}`);
}

/** Decodes the letters of a path: "/wiki/Größe". A path with other encoded characters stays encoded. */
function readable(path: string): string {
  try {
    const text = decodeURI(path);
    return /^[\x21-\x7e\p{L}\p{M}\p{N}]*$/u.test(text) ? text : path;
  } catch {
    return path;
  }
}
