/**
 * Actions with their costs. An action is everything between two times at which the system is idle, from the first event on.
 * GET /dev/actions sends an action each time it grows, and the last fifty on connect.
 */
import { Value } from "relationindex-client";
import { type Config, loadConfig } from "../../shared/config";
import { fieldsOf, type Fields, flag, list, map, whole } from "./fields";

/** A document that a client wrote. */
export interface Change {
  function: string;
  document: string;
  change: "created" | "updated" | "deleted";
}

/** What an action costs: document operations, as Firestore bills them, and deliveries to functions, including those of jobs. */
export const costs = ["reads", "writes", "deletes", "invocations"] as const;
export type Costs = Record<(typeof costs)[number], number>;

export type Action = NonNullable<ReturnType<typeof parseAction>>;

/** Parses the action in a `data:` line. Returns undefined for any other text. */
export function parseAction(line: string) {
  let raw: Fields | null;
  try {
    raw = map(JSON.parse(line));
  } catch {
    return undefined;
  }
  if (typeof raw?.["id"] !== "number") return undefined;
  return {
    id: raw["id"],
    at: new Date(String(raw["at"])),
    /** The first few events that clients caused, and the number of further ones. */
    what: (list(raw["what"]) as Change[]).filter((c) => typeof c?.document === "string"),
    ...fieldsOf(raw, { more: whole, reads: whole, writes: whole, deletes: whole, invocations: whole, durationMs: whole, done: flag }),
  };
}

/** Adds up the costs of a session so far. */
export function totals(actions: Action[]): Costs {
  const sum = { reads: 0, writes: 0, deletes: 0, invocations: 0 };
  for (const a of actions) for (const kind of costs) sum[kind] += a[kind];
  return sum;
}

/** What the stream of `dev` has said. */
export interface Dev {
  /** undefined before the stream has opened, or failed to. */
  open?: boolean;
  working: boolean;
  /** All of this session, the newest first. */
  actions: Action[];
  /** The last action that has ended while the page was open. */
  ended?: Action;
}

const retryMs = 1500;

/** Listens to dev while somebody looks. A stream that ends is opened again, until that succeeds. */
export function listen(config: Config): Value<Dev> {
  const opened = new Date();
  const dev: Value<Dev> = new Value<Dev>({ working: false, actions: [] }, () => {
    let source: EventSource, timer: ReturnType<typeof setTimeout> | undefined;
    const open = () => {
      source = new EventSource("/dev/actions");
      source.addEventListener("open", () => {
        dev.set({ ...dev.get(), open: true, working: false }); // the next action corrects this
        void checkDatabase(config);
      });
      source.addEventListener("message", (message: MessageEvent<string>) => {
        const action = parseAction(message.data);
        if (action) dev.set(grown(dev.get(), action, opened));
      });
      source.addEventListener("error", () => {
        source.close(); // its own retries end at a response that is no stream
        dev.set({ ...dev.get(), open: false, working: false });
        timer = setTimeout(open, retryMs);
      });
    };
    open();
    return () => (clearTimeout(timer), source.close());
  });
  return dev;
}

function grown(dev: Dev, action: Action, opened: Date): Dev {
  // A new process of dev at the same address counts from 1 again.
  const restarted = dev.actions.some((a) => a.id === action.id && a.at.getTime() !== action.at.getTime());
  const others = restarted ? [] : dev.actions.filter((a) => a.id !== action.id);
  const actions = [action, ...others].sort((a, b) => b.id - a.id);
  return { ...dev, actions, working: !action.done, ...(action.done && action.at > opened && { ended: action }) };
}

/** A new process of dev has another database: the page begins again. */
async function checkDatabase(config: Config): Promise<void> {
  const now = await loadConfig().catch(() => config);
  if (now.emulators?.firestoreHost !== config.emulators?.firestoreHost) location.reload();
}
