// The tables of rights, whole, one for each file of rules. A table is what its file has to mean: matrix.test.ts tries every cell of both.
import type { File } from "./lane.ts";
import { type Cell, type Rights, cells } from "./row.ts";
import { closedDocuments } from "./table.closed.ts";
import { comments } from "./table.comments.ts";
import { block, follow, indexDocument, edge } from "./table.follows.ts";
import { group, tombstone } from "./table.groups.ts";
import { posts } from "./table.posts.ts";
import { hidden, settings } from "./table.readers.ts";
import { relations } from "./table.relations.ts";
import { request } from "./table.requests.ts";
import { timeline } from "./table.timelines.ts";
import { users } from "./table.users.ts";

const table: Rights[] = [users, group, follow, request, block, edge, indexDocument, timeline, settings, hidden, posts, comments, relations, tombstone, ...closedDocuments];

const all = table.map(cells);

/** With feed-only rules nobody reads relations, and nothing else is different. */
const feedOnly = all.map((some) => some.map((cell) => (cell.document === relations.document ? { ...cell, allowed: false } : cell)));

const byDocument = (some: Cell[][]): Map<string, Cell[]> => new Map(some.map((cells) => [cells[0]!.document, cells]));

/** tables are the cells of each file's table, by document. */
export const tables: Record<File, Map<string, Cell[]>> = { "firestore.rules": byDocument(all), "firestore.feed-only.rules": byDocument(feedOnly) };
