/** Whether the network is gone, as far as the browser knows. */
import { Value } from "relationindex-client";

/** One for the page: it is never closed. */
export function watchOffline(): Value<boolean> {
  const offline = new Value(!navigator.onLine);
  window.addEventListener("offline", () => offline.set(true));
  window.addEventListener("online", () => offline.set(false));
  return offline;
}
