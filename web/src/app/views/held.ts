/**
 * Views that the user has left, kept for the way back. A held view comes back with its lists as they were, without a read.
 * Meanwhile its listeners stay open: it costs a read for each change on its first page, as while it was shown. It does not poll
 * Feed.
 */
import type { View } from "../context";
import { drawTimes } from "./time";
import { returned } from "./write";

/** The most held views. One more closes the view that was left longest ago. */
const most = 3;

interface Held {
  view: View;
  scrollY: number;
  /** The element of the view that had the focus. */
  focused: Element | null;
}

export class HeldViews {
  private held = new Map<string, Held>();

  /** Holds the view of an entry of the browser's history. Call it while the view is still in the page. */
  hold(entry: string, view: View): void {
    const { activeElement } = document;
    this.held.set(entry, { view, scrollY: window.scrollY, focused: view.node.contains(activeElement) ? activeElement : null });
    for (const [oldest, { view }] of this.held) {
      if (this.held.size <= most) return;
      view.close();
      this.held.delete(oldest);
    }
  }

  /** Returns the view of an entry, and no longer holds it. Put the view into the page, then call resume. */
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

/** Returns the name of the current entry of the browser's history. The entry keeps its name, also after a reload. */
export function historyEntry(): string {
  const state: unknown = history.state;
  if (typeof state === "string") return state;
  const name = `${performance.timeOrigin} ${performance.now()} ${Math.random()}`;
  history.replaceState(name, "");
  return name;
}
