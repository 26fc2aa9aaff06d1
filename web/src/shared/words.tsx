/**
 * Text by other users inside a text of the page. `isolatedText` marks it, and Words shows it in a <bdi>. Text of several lines needs
 * no mark: it stands in an element of its own, with dir=auto.
 */
import type { ReactElement } from "react";

const marked = /\u2068([^\u2068\u2069]*)\u2069/;

/** Returns a text without the marks, for an attribute. */
export const plain = (text: string): string => text.replace(/[\u2068\u2069]/g, "");

/** Shows a text. Each marked part is in a <bdi>. */
export const Words = ({ text }: { text: string }): ReactElement => <>{text.split(marked).map((part, i) => (i % 2 === 0 ? part : <bdi key={i}>{part}</bdi>))}</>;
