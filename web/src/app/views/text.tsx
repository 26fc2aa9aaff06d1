/** Texts by users, with their links. A long text shows only its beginning, and more when the reader presses a button. */
import { ExternalLink } from "lucide-react";
import { type ReactElement, useMemo, useRef, useState } from "react";
import { href } from "../routes";
import { type Part, partsOf, shownAddress } from "./links";

// In characters. A post can have a million; the layout of 900,000 at once would stop the page for seconds.
const atFirst = 600;
const linesAtFirst = 12;
const step = 10_000;

/** Shows the parts of a text. A link is isolated: its direction does not affect the text around it. */
const Parts = ({ parts }: { parts: Part[] }) => (
  <>
    {parts.map(({ text, url, tag }, i) => {
      if (tag !== undefined)
        return (
          <a key={i} href={href({ to: "about", ref: tag })} dir="auto">
            {text}
          </a>
        );
      if (url === undefined) return text;
      return (
        <a key={i} href={url} rel="nofollow noopener noreferrer ugc" target="_blank" dir="ltr" title={url}>
          {shownAddress(url)}
        </a>
      );
    })}
  </>
);

/** A short text, such as a bio. */
export const ShortText = ({ text, className }: { text: string; className: string }): ReactElement => {
  const parts = useMemo(() => partsOf(text), [text]);
  return (
    <p className={className} dir="auto">
      <Parts parts={parts} />
    </p>
  );
};

export function LongText({ text, card = false }: { text: string; card?: boolean }): ReactElement {
  const [length, setLength] = useState(atFirst);
  const box = useRef<HTMLDivElement>(null);
  const cut = (to: number) => {
    const parts = partsOf(text, endOf(text, to));
    return { parts, left: text.length - parts.reduce((sum, part) => sum + part.text.length, 0) };
  };
  const { parts, left } = cut(length);
  const isLong = cut(atFirst).left > 0;
  const press = () => {
    if (left > 0) return setLength(length === atFirst ? step / 2 : length + step);
    setLength(atFirst);
    box.current?.closest("article")?.scrollIntoView({ block: "nearest" });
  };
  const url = card ? parts.find((part) => part.url)?.url : undefined;
  return (
    <div ref={box}>
      <p className="post-text" dir="auto">
        <Parts parts={parts} />
        {left > 0 && "…"}
      </p>
      {isLong && (
        <button type="button" className="link" onClick={press}>
          {left === 0 ? "Show less" : left > step ? `Show more (${left.toLocaleString()} characters left)` : "Show more"}
        </button>
      )}
      {url && <LinkCard url={url} />}
    </div>
  );
}

/** The first link of a post as a card: its host, and its address. Nothing is read from there. */
const LinkCard = ({ url }: { url: string }) => (
  <a className="link-card" href={url} rel="nofollow noopener noreferrer ugc" target="_blank" dir="ltr">
    <ExternalLink size={18} />
    <span>
      <strong className="clip">{shownAddress(new URL(url).origin)}</strong>
      <span className="clip small muted">{shownAddress(url)}</span>
    </span>
  </a>
);

/** Returns where the shown beginning of a text ends, never within a character. The shortest beginning also has a limit of lines. */
function endOf(text: string, length: number): number {
  let end = Math.min(text.length, length);
  if (length === atFirst) {
    let line = -1;
    for (let n = 0; n < linesAtFirst && (n === 0 || line >= 0); n++) line = text.indexOf("\n", line + 1);
    if (line >= 0 && line < end) end = line;
    else if (text.length - end < 80) end = text.length; // a few words more are not worth a button
  }
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
