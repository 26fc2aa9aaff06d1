import { type RefObject, useEffect, useRef } from "react";

/** Lets an element light up for a moment when a value has changed. */
export function useFlash<E extends HTMLElement>(value: unknown): RefObject<E | null> {
  const element = useRef<E>(null),
    was = useRef(value);
  useEffect(() => {
    if (value === was.current) return;
    was.current = value;
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    element.current?.animate([{ backgroundColor: "var(--accent-soft)" }, {}], { duration: 900, easing: "ease-out" });
  }, [value]);
  return element;
}
