/** Whether somebody looks at the page. Outside a browser, somebody does. */
export const isHidden = (): boolean => globalThis.document?.visibilityState === "hidden";

/** Calls back when the page is visible again, and when the network is back. Returns how to stop. */
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
