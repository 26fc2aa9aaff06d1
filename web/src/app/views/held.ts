/**
 * Views that somebody has left, for the way back: with their lists as they were, and without a read. Their listeners go on
 * meanwhile: each held view costs a read for each change on its first page, as it did while it was shown. Feed is not asked.
 */
import type { View } from "../context";
import { drawTimes } from "./time";
import { returned } from "./write";

/** So many are held; the one that was left longest ago is closed. */
const most = 3;

interface Held {
  view: View;
  scrollY: number;
  /** What had the focus in it. */
  focused: Element | null;
}

export class HeldViews {
  private held = new Map<string, Held>();

  /** Holds a view, of an entry of the browser's history. The view is still in the page. */
  hold(entry: string, view: View): void {
    const { activeElement } = document;
    this.held.set(entry, { view, scrollY: window.scrollY, focused: view.node.contains(activeElement) ? activeElement : null });
    for (const [oldest, { view }] of this.held) {
      if (this.held.size <= most) return;
      view.close();
      this.held.delete(oldest);
    }
  }

  /** The view of an entry, which is then no longer held: put it into the page, and call resume. */
  take(entry: string): { view: View; resume: () => void } | undefined {
    const held = this.held.get(entry);
    if (!held) return undefined;
    this.held.delete(entry);
    const { view, scrollY, focused } = held;
    return {
      view,
      resume() {
        drawTimes();
        for (const form of view.node.querySelectorAll("form.write")) form.dispatchEvent(new Event(returned));
        window.scrollTo(0, scrollY);
        const target = focused?.isConnected ? focused : view.node.querySelector("h1");
        if (target instanceof HTMLElement) target.focus({ preventScroll: true });
      },
    };
  }

  close(): void {
    for (const { view } of this.held.values()) view.close();
    this.held.clear();
  }
}

/** The entry of the browser's history that is shown: its name stays with it, also over a reload. */
export function historyEntry(): string {
  const state: unknown = history.state;
  if (typeof state === "string") return state;
  const name = `${performance.timeOrigin} ${performance.now()} ${Math.random()}`;
  history.replaceState(name, "");
  return name;
}
