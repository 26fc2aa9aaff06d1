// Queries that no SDK makes, but that any program can make: over REST, and over gRPC.
import { randomUUID } from "node:crypto";
import { Client, credentials, Metadata } from "@grpc/grpc-js";
import protobuf from "protobufjs";
import { inject } from "vitest";

import { at } from "../firestore.ts";

declare module "vitest" {
  interface ProvidedContext {
    transport: "REST" | "gRPC";
  }
}

/** transport is the protocol to Firestore of this project in vitest.config.ts. The SDK uses the same one: see lite.ts. */
export const transport = inject("transport");

/** Request is a query of a collection, or an aggregation of it. */
export interface Request {
  /** The path of the collection. */
  path: string;
  /** Filters, [field, op, value]. A document must pass all filters. */
  where?: [string, "EQUAL" | "ARRAY_CONTAINS", string | boolean][];
  limit?: number;
  offset?: number;
  /** pageSize makes the request a ListDocuments, with this page size; 0 is the server's default. */
  pageSize?: number;
  /** aggregate requests only a number: the count, or the sum of a field. */
  aggregate?: { count: object } | { sum: { field: { fieldPath: string } } };
}

/** Sender sends requests with a token of its own, or without a token. It throws errors with the SDK's codes. */
export type Sender = (request: Request) => Promise<void>;

/** sender returns a Sender for a project's database, as an account or signed out. */
export function sender(project: string, uid?: string, claims: object = {}): Sender {
  const token = uid === undefined ? undefined : unsigned(project, uid, claims);
  return async (request) => {
    const slash = request.path.lastIndexOf("/");
    const parent = `projects/${project}/databases/${at.database}/documents${slash < 0 ? "" : `/${request.path.slice(0, slash)}`}`;
    await (transport === "REST" ? overREST : overGRPC)(call(parent, request.path.slice(slash + 1), request), token);
  };
}

/** unsigned returns a token without a signature, which the emulator accepts. */
function unsigned(project: string, uid: string, own: object): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    ...own,
    iss: `https://securetoken.google.com/${project}`,
    aud: project,
    iat: now,
    exp: now + 36_000,
    auth_time: now,
    sub: uid,
    user_id: uid,
    jti: randomUUID(),
    firebase: { sign_in_provider: "custom", identities: {} },
  };
  return [{ alg: "none", type: "JWT" }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".") + ".";
}

/** Call is a method of the API, with its message. */
interface Call {
  method: "ListDocuments" | "RunQuery" | "RunAggregationQuery";
  message: { parent: string } & Record<string, unknown>;
}

/** call returns the limit as a number, as in JSON. Over gRPC, the limit is a message. */
function call(parent: string, collectionId: string, { where, limit, offset, aggregate, pageSize }: Request): Call {
  if (pageSize !== undefined) return { method: "ListDocuments", message: { parent, collectionId, pageSize } };
  const filters = where?.map(([fieldPath, op, value]) => ({
    fieldFilter: { field: { fieldPath }, op, value: typeof value === "string" ? { stringValue: value } : { booleanValue: value } },
  }));
  const structuredQuery = {
    from: [{ collectionId }],
    ...(filters && { where: { compositeFilter: { op: "AND", filters } } }),
    ...(offset !== undefined && { offset }),
    ...(limit !== undefined && { limit: transport === "REST" ? limit : { value: limit } }),
  };
  if (!aggregate) return { method: "RunQuery", message: { parent, structuredQuery } };
  return { method: "RunAggregationQuery", message: { parent, structuredAggregationQuery: { structuredQuery, aggregations: [{ alias: "n", ...aggregate }] } } };
}

async function overREST({ method, message: { parent, ...body } }: Call, token?: string): Promise<void> {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const url = `http://${at.firestoreHost}/v1/${parent}`;
  const answer = await (method === "ListDocuments"
    ? fetch(`${url}/${body["collectionId"]}?pageSize=${body["pageSize"]}`, { headers })
    : fetch(`${url}:${method[0]!.toLowerCase()}${method.slice(1)}`, { method: "POST", headers, body: JSON.stringify(body) }));
  const text = await answer.text();
  if (answer.status === 403) throw denied(text);
  if (!answer.ok) throw new Error(`${answer.status}: ${text}`);
}

const denied = (message: string): Error => Object.assign(new Error(message), { code: "permission-denied" });

/** messages are the messages of google.firestore.v1 that this file uses. */
const messages = protobuf.parse(`syntax = "proto3";
message Field { string field_path = 2; }
message Value { oneof value_type { bool boolean_value = 1; string string_value = 17; } }
enum Op { OPERATOR_UNSPECIFIED = 0; EQUAL = 5; ARRAY_CONTAINS = 7; }
message FieldFilter { Field field = 1; Op op = 2; Value value = 3; }
enum All { ALL_UNSPECIFIED = 0; AND = 1; }
message CompositeFilter { All op = 1; repeated Filter filters = 2; }
message Filter { CompositeFilter composite_filter = 1; FieldFilter field_filter = 2; }
message From { string collection_id = 2; }
message Int { int32 value = 1; }
message Query { repeated From from = 2; Filter where = 3; Int limit = 5; int32 offset = 6; }
message Count { }
message Sum { Field field = 1; }
message Aggregation { Count count = 1; Sum sum = 2; string alias = 7; }
message AggregationQuery { Query structured_query = 1; repeated Aggregation aggregations = 3; }
message ListDocuments { string parent = 1; string collection_id = 2; int32 page_size = 3; }
message RunQuery { string parent = 1; Query structured_query = 2; }
message RunAggregationQuery { string parent = 1; AggregationQuery structured_aggregation_query = 2; }
`).root;

let connection: Client | undefined;

/** permissionDenied is the code of gRPC. */
const permissionDenied = 7;

function overGRPC({ method, message }: Call, token?: string): Promise<void> {
  const type = messages.lookupType(method);
  const metadata = new Metadata();
  if (token) metadata.set("authorization", `Bearer ${token}`);
  metadata.set("google-cloud-resource-prefix", message.parent.split("/documents")[0]!);
  connection ??= new Client(at.firestoreHost, credentials.createInsecure());
  const stream = connection.makeServerStreamRequest(
    `/google.firestore.v1.Firestore/${method}`,
    (message: object) => Buffer.from(type.encode(type.fromObject(message)).finish()),
    (bytes: Buffer) => bytes,
    message,
    metadata,
  );
  return new Promise((resolve, reject) => {
    stream.on("data", () => {});
    stream.once("end", resolve);
    stream.once("error", (err: Error & { code?: number }) => reject(err.code === permissionDenied ? denied(err.message) : err));
  });
}
