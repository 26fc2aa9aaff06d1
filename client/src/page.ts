/** Reports whether the page is hidden; outside a browser: no. */
export const isHidden = (): boolean => globalThis.document?.visibilityState === "hidden";

/** React Native has a window, and perhaps a document, without listeners: there, nothing is called. */
type Target = Partial<Pick<EventTarget, "addEventListener" | "removeEventListener">>;

/** Calls back when the page becomes visible, and when the network returns. Returns a function that stops it. */
export function watchReturn(back: () => void): () => void {
  const visible = () => {
    if (!isHidden()) back();
  };
  const document: Target | undefined = globalThis.document,
    window: Target | undefined = globalThis.window;
  document?.addEventListener?.("visibilitychange", visible);
  window?.addEventListener?.("online", visible);
  return () => {
    document?.removeEventListener?.("visibilitychange", visible);
    window?.removeEventListener?.("online", visible);
  };
}
