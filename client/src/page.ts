/** Reports whether the page is hidden; outside a browser: no. */
export const isHidden = (): boolean => globalThis.document?.visibilityState === "hidden";

/** Calls back when the page becomes visible, and when the network returns. Returns a function that stops it. */
export function watchReturn(back: () => void): () => void {
  const visible = () => {
    if (!isHidden()) back();
  };
  const { document, window } = globalThis;
  document?.addEventListener("visibilitychange", visible);
  window?.addEventListener("online", visible);
  return () => {
    document?.removeEventListener("visibilitychange", visible);
    window?.removeEventListener("online", visible);
  };
}
