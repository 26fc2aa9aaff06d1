/**
 * Actions with their costs. An action is everything between two times at which the system is idle, from the first event on.
 * GET /dev/actions sends an action each time it grows, and the last fifty on connect.
 */

/** A document that a client wrote. */
export interface Change {
  function: string;
  document: string;
  change: "created" | "updated" | "deleted";
}

export interface Action {
  id: number;
  at: Date;
  /** The first few events that clients caused. */
  what: Change[];
  /** The number of further events that clients caused. */
  more: number;
  /** Document operations, as Firestore bills them. */
  reads: number;
  writes: number;
  deletes: number;
  /** Deliveries to functions, including deliveries of jobs. */
  invocations: number;
  durationMs: number;
  done: boolean;
}

/** Parses the action in a `data:` line. Returns undefined for any other text. */
export function parseAction(line: string): Action | undefined {
  let raw: Record<string, unknown>;
  try {
    raw = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
  if (typeof raw !== "object" || raw === null || typeof raw["id"] !== "number") return undefined;
  const n = (name: string) => (typeof raw[name] === "number" ? raw[name] : 0);
  const what = Array.isArray(raw["what"]) ? (raw["what"] as Change[]).filter((c) => typeof c?.document === "string") : [];
  return {
    id: raw["id"],
    at: new Date(String(raw["at"])),
    what,
    more: n("more"),
    reads: n("reads"),
    writes: n("writes"),
    deletes: n("deletes"),
    invocations: n("invocations"),
    durationMs: n("durationMs"),
    done: raw["done"] === true,
  };
}

/** Adds up the costs of a session so far. */
export function totals(actions: Iterable<Action>): Pick<Action, "reads" | "writes" | "deletes" | "invocations"> {
  const sum = { reads: 0, writes: 0, deletes: 0, invocations: 0 };
  for (const a of actions) {
    for (const name of ["reads", "writes", "deletes", "invocations"] as const) sum[name] += a[name];
  }
  return sum;
}

const retryMs = 1500;

/**
 * Listens until the returned function is called. A stream that ends is opened again, until that succeeds. lost is called for each
 * stream that ends or does not open, and back for each stream that opens.
 */
export function listen(tell: { action(a: Action): void; lost(): void; back(): void }): () => void {
  let source: EventSource, timer: ReturnType<typeof setTimeout> | undefined;
  const open = () => {
    source = new EventSource("/dev/actions");
    source.addEventListener("open", () => tell.back());
    source.addEventListener("message", (message: MessageEvent<string>) => {
      const action = parseAction(message.data);
      if (action) tell.action(action);
    });
    source.addEventListener("error", () => {
      source.close(); // its own retries end at a response that is no stream
      tell.lost();
      timer = setTimeout(open, retryMs);
    });
  };
  open();
  return () => {
    clearTimeout(timer);
    source.close();
  };
}
