/** State of the network: whether the browser is offline, as far as it can tell. */
import { Value } from "relationindex-client";

/** Watches the network as long as the page is open: it is never closed. */
export function watchOffline(): Value<boolean> {
  const offline = new Value(!navigator.onLine);
  window.addEventListener("offline", () => offline.set(true));
  window.addEventListener("online", () => offline.set(false));
  return offline;
}
