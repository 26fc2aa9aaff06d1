/** Header of the console: the project, and whether the system is working. */
import { el } from "../../shared/dom";
import { themeButton } from "../../shared/theme";
import { clip, number } from "../words/numbers";
import { say } from "./keyed";

export type Activity = "connecting" | "idle" | "working" | "disconnected";

export interface Header {
  node: HTMLElement;
  /** Shows what the system does. */
  activity(now: Activity): void;
  /** Lets screen readers read what has happened, at most every 3 seconds. */
  announce(text: string): void;
}

const words: Record<Activity, string> = { connecting: "Loading…", idle: "idle", working: "working", disconnected: "disconnected" };

const quietMs = 3000;

export function header(project: string, capacity: number, ...tools: HTMLElement[]): Header {
  const dot = el("span", { class: "dot", aria: { hidden: "true" } }),
    text = el("span", {}, words.connecting);
  const indicator = el("span", { class: "indicator connecting" }, dot, text);
  const live = el("div", { class: "visually-hidden", aria: { live: "polite" } });
  const facts = el("p", { class: "facts small muted" }, el("code", { title: project }, clip(project, 28)), " · capacity ", el("strong", {}, number(capacity)));
  const node = el(
    "header",
    { class: "top" },
    el(
      "div",
      { class: "brand" },
      el("img", { src: "/icon.svg", alt: "", width: 24, height: 24 }),
      el("h1", {}, "relationindex", el("span", { class: "muted" }, " console")),
    ),
    facts,
    indicator,
    el("div", { class: "tools row" }, ...tools, el("a", { class: "button quiet small", href: "/" }, "The app"), themeButton()),
    live,
  );
  let last = 0,
    next: string | undefined;
  return {
    node,
    activity(now) {
      indicator.className = `indicator ${now}`;
      say(text, words[now]);
    },
    announce(said) {
      const wait = last + quietMs - Date.now();
      if (wait <= 0) {
        last = Date.now();
        say(live, said);
        return;
      }
      if (next === undefined) {
        setTimeout(() => {
          last = Date.now();
          say(live, next ?? "");
          next = undefined;
        }, wait);
      }
      next = said;
    },
  };
}
