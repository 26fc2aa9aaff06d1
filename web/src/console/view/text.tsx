/** Texts in elements: names are isolated, ids are clipped, and times are in words. */
import { isGroup, isolatedText, Value } from "relationindex-client";
import { useValue } from "relationindex-client/react";
import type { HTMLAttributes } from "react";
import { datesIn } from "../../app/views/dates";
import { plain, Words } from "../../shared/words";
import { clip, number } from "../words/numbers";

interface TextProps extends HTMLAttributes<HTMLElement> {
  as?: "span" | "strong" | "code" | "p" | "h3" | "td" | "dd";
  text: string;
}

export const Text = ({ as: Tag = "span", text, title, ...rest }: TextProps) => (
  <Tag {...rest} title={title && plain(title)}>
    <Words text={text} />
  </Tag>
);

/** An id, clipped to `most` characters. The title has all of it. */
export const Id = ({ id, most, className = "muted" }: { id: string; most: number; className?: string }) => (
  <Text as="code" className={className} text={isolatedText(clip(id, most))} title={id} />
);

export const Group = ({ id }: { id: string }) => isGroup(id) && <span className="badge accent">Group</span>;

/** Says how many there are that are not shown. */
export const Rest = ({ n, words = `${number(n)} more` }: { n: number; words?: string }) => <p className="small muted rest">{n > 0 && `… and ${words}`}</p>;

const everyMs = 5000;
const dates = datesIn();

const clock: Value<Date> = new Value(new Date(), () => {
  const timer = setInterval(() => clock.set(new Date()), everyMs);
  return () => clearInterval(timer);
});

/** The time, every five seconds. */
export const useNow = (): Date => useValue(clock);

/** Says how long ago something was, and keeps it up to date. null: the time is not known. */
export function When({ at }: { at: Date | null }) {
  const now = useNow();
  const iso = at && !Number.isNaN(at.getTime()) ? at.toISOString() : "";
  return (
    <time className="small muted" dateTime={iso} title={iso}>
      {iso && at && dates.short(at, now)}
    </time>
  );
}
