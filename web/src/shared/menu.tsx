/** Menus and panels of a button, by the platform's popover: Escape and a press elsewhere close it, and the button gets the focus back. */
import { type KeyboardEvent, type ReactElement, type ReactNode, useId, useRef, useState } from "react";
import { plain } from "./words";

interface PopoverProps {
  /** What the button shows. */
  face: ReactNode;
  label: string;
  className?: string;
  kind?: "menu" | "panel";
  /** Called when it opens and when it closes. */
  turned?: (open: boolean) => void;
  children: ReactNode;
}

/** A button with a popover. Its content is drawn while it is open. A press on a button or a link of a menu closes the menu. */
export function Popover({ face, label, className = "icon-button", kind = "menu", turned, children }: PopoverProps): ReactElement {
  const id = useId();
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const buttons = () => [...(box.current?.querySelectorAll<HTMLElement>("button:not(:disabled), a, input") ?? [])];
  const turn = (now: boolean) => {
    setOpen(now);
    turned?.(now);
    if (now) requestAnimationFrame(() => (box.current?.querySelector<HTMLElement>("input:checked") ?? buttons()[0])?.focus());
  };
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || kind === "panel") return;
    event.preventDefault();
    const all = buttons();
    all.at((all.indexOf(document.activeElement as HTMLElement) + step) % all.length)?.focus();
  };
  return (
    <span className="popover-box">
      <button type="button" className={className} aria-label={plain(label)} title={plain(label)} aria-expanded={open} popoverTarget={id}>
        {face}
      </button>
      <div
        id={id}
        ref={box}
        popover="auto"
        role="group"
        className={kind}
        aria-label={plain(label)}
        onToggle={(event) => turn((event.nativeEvent as unknown as { newState: string }).newState === "open")}
        onKeyDown={move}
        onBlur={({ relatedTarget }) => {
          if (kind === "menu" && relatedTarget && !box.current?.contains(relatedTarget)) box.current?.hidePopover(); // Tab leaves it
        }}
        onClick={(event) => {
          if (kind === "menu" && (event.target as Element).closest("button, a")) box.current?.hidePopover();
        }}
      >
        {open && children}
      </div>
    </span>
  );
}

/** An entry of a menu. */
export const Entry = ({ icon, act, bad, disabled, children }: { icon: ReactNode; act: () => void; bad?: boolean; disabled?: boolean; children: ReactNode }) => (
  <button type="button" className={bad ? "entry bad" : "entry"} disabled={disabled} onClick={act}>
    {icon}
    <span>{children}</span>
  </button>
);
