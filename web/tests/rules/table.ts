// The table of rights, whole. It is what firestore.rules has to mean: matrix.test.ts tries every cell of it.
import { type Cell, type Rights, cells } from "./row.ts";
import { closedDocuments } from "./table.closed.ts";
import { block, follow, indexDocument, mirror } from "./table.follows.ts";
import { posts, relations } from "./table.posts.ts";
import { users } from "./table.users.ts";

export const table: Rights[] = [users, follow, block, mirror, indexDocument, posts, relations, ...closedDocuments];

/** all are the cells of the table, by document. */
export const all: Map<string, Cell[]> = new Map(table.map((rights) => [rights.document, cells(rights)]));
