/** What is a link in a text of others: addresses of http(s), and #names. Pure: no SDK, no DOM. */
import { tagPattern, visible } from "relationindex-client";

export interface Part {
  /** As it stands in the text. */
  text: string;
  /** An address, as the URL parser writes it. */
  url?: string;
  /** A #name, in lower case. */
  tag?: string;
}

/** A longer run of characters is no address. */
const longestURL = 2_000;

/** The others stay text: each is an element of the page. */
const mostLinks = 500;

/** A run that may be an address. Quotes and the punctuation of Chinese and Japanese, which stands without a space, end it. */
const run = /(?<![A-Za-z0-9])https?:\/\/[^\s<>"\u201c\u201d\u00ab\u00bb\u3001\u3002\u300a-\u3011\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f]+/iu;
const link = new RegExp(`(?<url>${run.source})|${tagPattern.source}`, "giu");

/**
 * The parts of a text up to `end`, or to the end of the link that stands there: a link is not cut. Looks at each character
 * a bounded number of times.
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

/** The address at the beginning of a run, without the punctuation of the sentence that it stands in. null: there is none. */
function addressIn(run: string): Part | null {
  if (run.length > longestURL) return null;
  const text = run.slice(0, endOf(run));
  try {
    const { href, username, password } = new URL(text);
    // A name before an @ passes for the host: https://bank.example@evil.example
    return username || password ? null : { text, url: href };
  } catch {
    return null;
  }
}

/** Where the address ends: before punctuation, and before a bracket that was not opened in it. */
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
 * An address to show: its host as the browser asks for it, in Punycode where it is not ASCII, and whole, or at least its
 * end, which says whose it is. A long path is shortened in its middle.
 */
export function shownAddress(address: string): string {
  const url = new URL(address);
  const host = url.host.length > longestHost ? `…${url.host.slice(-longestHost)}` : url.host;
  const rest = readable(`${url.pathname}${url.search}${url.hash}`.replace(/^\/$/, ""));
  const path = [...rest];
  const short = path.length > longestPath ? `${path.slice(0, longestPath / 2).join("")}…${path.slice(-longestPath / 2).join("")}` : rest;
  return visible(`${url.protocol === "http:" ? "http://" : ""}${host}${short}`);
}

/** "/wiki/Größe": with its letters in place of their bytes, if the parser has encoded nothing else in it. */
function readable(path: string): string {
  try {
    const text = decodeURI(path);
    return /^[\x21-\x7e\p{L}\p{M}\p{N}]*$/u.test(text) ? text : path;
  } catch {
    return path;
  }
}
