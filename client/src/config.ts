/** What a client has to know of its project. `relationindex dev` serves it at /config.json. */
export interface Config {
  firebase: { projectId: string; apiKey: string; authDomain?: string; appId?: string };
  /** The id of the Firestore database, unless it is (default). */
  database?: string;
  /** Addresses as host:port. authHost is absent where the Auth emulator is not installed. */
  emulators?: { firestoreHost: string; authHost?: string };
  /** The address of the function Feed, if it is deployed. */
  feedURL?: string;
  /** Whether the rules were deployed with --pace. */
  pace?: boolean;
  /** Whether the functions keep numbers, and notifications. */
  counts?: boolean;
  notifications?: boolean;
  /** The field of a post that names the post it repeats; absent: the app has no reposts. The rules allow "repostOf". */
  repostField?: string;
  /** What the functions keep beside relations; absent where timelines are off. */
  timelines?: Timelines;
}

/** How large buckets are, and how many a ring has, is said by each bucket. */
export interface Timelines {
  layout: "items" | "buckets" | "days";
  /** Whether the functions read what readers decide: hidden posts, filters, the time of the last visit. */
  settings?: boolean;
  /** Whether comments lift posts. */
  ranked?: boolean;
  /** Whether timelines are all there is. */
  relationsOff?: boolean;
}

/** host:port in two, as the SDK's connect…Emulator calls want them. */
export function hostPort(address: string): [string, number] {
  const colon = address.lastIndexOf(":");
  return [address.slice(0, colon), Number(address.slice(colon + 1))];
}
