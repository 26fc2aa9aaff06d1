/**
 * Where the page finds its project: /config.json, beside the page.
 *
 * `relationindex dev` serves one with `emulators` and `dev`. In production it is a file of yours with `firebase`
 * (from the Firebase console; it holds no secret), `database`, `feedURL` if Feed is deployed,
 * `timelines`, `counts` and `notifications` if the functions keep them, and `pace` if the rules have one.
 */
export interface Config {
  firebase: { projectId: string; apiKey: string; authDomain?: string; appId?: string };
  /** The id of the Firestore database, unless it is (default). */
  database?: string;
  /** Addresses as host:port. authHost is absent where the Auth emulator is not installed. */
  emulators?: { firestoreHost: string; authHost?: string };
  feedURL?: string;
  /** Whether the rules were deployed with --pace. */
  pace?: boolean;
  /** Whether the functions keep numbers, and notifications. */
  counts?: boolean;
  notifications?: boolean;
  /** What the functions keep beside relations. `relationindex dev` says it below `dev`. */
  timelines?: Timelines;
  /** What `relationindex dev` adds. */
  dev?: { capacity: number; followersBytes: number; collections: Collections; timelines?: Timelines };
}

/** Absent where timelines are off. How large buckets are, and how many a ring has, is said by each bucket. */
export interface Timelines {
  layout: "items" | "buckets" | "days";
  /** Whether the functions read what readers decide: hidden posts, filters, the time of the last visit. */
  settings?: boolean;
  /** Whether comments lift posts. */
  ranked?: boolean;
  /** Whether timelines are all there is. */
  relationsOff?: boolean;
}

/** What the project has of timelines; undefined if they are off. */
export const timelinesOf = (config: Config): Timelines | undefined => config.timelines ?? config.dev?.timelines;

/** The configured names of the collections that may be renamed. */
export interface Collections {
  users: string;
  followers: string;
  posts: string;
}

/** Loads the configuration. The error says what to do. */
export async function loadConfig(): Promise<Config> {
  const answer = await fetch("/config.json", { cache: "no-store" });
  if (!answer.ok) throw new Error(`/config.json: ${answer.status}. Run "relationindex dev", or put your project's config.json beside this page.`);
  return (await answer.json()) as Config;
}

/** host:port in two, as the SDK's connect…Emulator calls want them. */
export function hostPort(address: string): [string, number] {
  const colon = address.lastIndexOf(":");
  return [address.slice(0, colon), Number(address.slice(colon + 1))];
}
