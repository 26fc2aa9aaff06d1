// The tables of rights, one for each text of rules. A table defines the meaning of its rules: matrix.test.ts tries every cell.
import { type File, withPace } from "./lane.ts";
import { type Cell, type Rights, cells } from "./row.ts";
import { closedDocuments } from "./table.closed.ts";
import { comments } from "./table.comments.ts";
import { block, follow, indexDocument, edge } from "./table.follows.ts";
import { group, tombstone } from "./table.groups.ts";
import { everyLike, likes } from "./table.likes.ts";
import { notifications } from "./table.notifications.ts";
import { pace } from "./table.pace.ts";
import { posts } from "./table.posts.ts";
import { rates } from "./table.rates.ts";
import { hidden, read, settings } from "./table.readers.ts";
import { relations } from "./table.relations.ts";
import { request } from "./table.requests.ts";
import { timeline } from "./table.timelines.ts";
import { users } from "./table.users.ts";

const table: Rights[] = [users, group, follow, request, block, edge, indexDocument, timeline, settings, read, notifications, hidden, rates, posts, comments, likes, everyLike, relations, tombstone, ...closedDocuments];

const all = table.map(cells);

/** feedOnly is the table with feed-only rules. It differs only in relations, which nobody may read. */
const feedOnly = all.map((some) => some.map((cell) => (cell.document === relations.document ? { ...cell, allowed: false } : cell)));

const byDocument = (some: Cell[][]): Map<string, Cell[]> => new Map(some.map((cells) => [cells[0]!.document, cells]));

/**
 * tables are the cells of each table, by document. The table with a pace has only the cells that depend on it: the rest is the
 * same.
 */
export const tables: Record<File, Map<string, Cell[]>> = { "firestore.rules": byDocument(all), "firestore.feed-only.rules": byDocument(feedOnly), [withPace]: byDocument(pace) };
