import type { FirebaseOptions } from "firebase/app";

/**
 * What a client must know of a deployment. `relationindex dev` serves it at /config.json; in production, serve a file like it.
 */
export interface Config {
  /** The object that the Firebase console shows for a web app. It holds no secret. */
  firebase: FirebaseOptions;
  /** The id of the Firestore database; absent: (default). */
  database?: string;
  /** Addresses as host:port. authHost is absent if the Auth emulator is not installed. */
  emulators?: { firestoreHost: string; authHost?: string };
  /** The address of the function Feed, if it is deployed. */
  feedURL?: string;
  /** RELATIONINDEX_CAPACITY: the most ids of a relation; absent: 10,000. */
  capacity?: number;
  /** RELATIONINDEX_COPIED_FIELDS: the fields of posts that are copied into relations. */
  copied?: string[];
  /** Whether the rules were deployed with --pace. */
  pace?: boolean;
  /** Whether the functions keep numbers, and notifications. */
  counts?: boolean;
  notifications?: boolean;
  /** The timelines that the functions write; absent: none. */
  timelines?: Timelines;
}

/** Each bucket has its own size and, in a ring, the number of buckets. */
export interface Timelines {
  layout: "items" | "buckets" | "days";
  /** Whether the functions read readers' settings: hidden posts, filters, the time of the last visit. */
  settings?: boolean;
  /** Whether comments lift posts. */
  ranked?: boolean;
  /** Whether there are timelines only, and no relations. */
  relationsOff?: boolean;
}

/** Splits host:port for the SDK's connect…Emulator calls. */
export function hostPort(address: string): [string, number] {
  const colon = address.lastIndexOf(":");
  return [address.slice(0, colon), Number(address.slice(colon + 1))];
}
