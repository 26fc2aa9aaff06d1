import { el } from "../../shared/dom";
import { sources, type SourceName } from "../data/sources";

/** Which source the feed is read from: radio buttons, so that the arrow keys choose. Nothing where there is no choice. */
export function sourceChoice(offered: SourceName[], now: SourceName, changed: (source: SourceName) => void): HTMLElement | null {
  if (offered.length < 2) return null;
  const radios = offered.map((source) => {
    const radio = el("input", { type: "radio", name: "source", value: source, checked: source === now });
    radio.addEventListener("change", () => changed(source));
    return el("label", { title: sources[source].title }, radio, sources[source].name);
  });
  return el("fieldset", { class: "segments small" }, el("legend", { class: "visually-hidden" }, "Source of the feed"), ...radios);
}
