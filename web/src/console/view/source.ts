/** Choice of the source from which the app on this device reads the feed. A developer can choose another source than the best. */
import { type SourceName, sourcesOf } from "relationindex-client";
import type { Config } from "../../shared/config";
import { el } from "../../shared/dom";
import { choose, chosen, sources } from "../../shared/source";

export function sourceChoice(config: Config): HTMLElement {
  const all = sourcesOf(config);
  const option = (value: SourceName | "", text: string) => el("option", { value }, text);
  const select = el(
    "select",
    { class: "input" },
    option("", `Best: ${sources[all[0] ?? "relations"].toLowerCase()}`),
    ...all.map((name) => option(name, sources[name])),
  );
  select.value = chosen(config);
  select.addEventListener("change", () => choose(select.value as SourceName | ""));
  return el("label", { class: "source row small muted" }, "The app reads from", select);
}
