/** Texts in elements, in which names are isolated. */
import { isolatedText } from "relationindex-client";
import type { HTMLAttributes, ReactElement } from "react";
import { plain, Words } from "../../shared/words";
import { clip, number } from "../words/numbers";

interface TextProps extends HTMLAttributes<HTMLElement> {
  as?: "span" | "p" | "h3" | "td" | "code" | "strong";
  text: string;
}

export const Text = ({ as: Tag = "span", text, title, ...rest }: TextProps): ReactElement => (
  <Tag {...rest} title={title && plain(title)}>
    <Words text={text} />
  </Tag>
);

/** An id, clipped to `most` characters. The title has all of it. */
export const Id = ({ id, most, ...rest }: { id: string; most: number; className?: string }): ReactElement => (
  <Text as="code" {...rest} text={isolatedText(clip(id, most))} title={id} />
);

/** Says how many there are that are not shown. */
export const Rest = ({ n, words = `${number(n)} more` }: { n: number; words?: string }): ReactElement => (
  <p className="small muted rest">{n > 0 && `… and ${words}`}</p>
);
