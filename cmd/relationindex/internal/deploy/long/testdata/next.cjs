// Lets firebase-tools itself deploy a file of indexes, and functions, over what a database and a project have, without a
// network. Reads {database, file, force, functions: {name: labels}, source: [name]}, prints what it deletes and replaces.
const fs = require("node:fs");
const path = require("node:path");
const lib = path.join(path.resolve(process.argv[2]), "lib");
const { FirestoreApi } = require(path.join(lib, "firestore", "api.js"));
const planner = require(path.join(lib, "deploy", "functions", "release", "planner.js"));
const given = JSON.parse(fs.readFileSync(0, "utf8"));

const group = (g) => `projects/p/databases/(default)/collectionGroups/${g}`;
const api = new FirestoreApi();
const did = { deletedIndexes: 0, deletedOverrides: [], replaced: [], created: 0, functions: [] };
const short = (name) => name.match(/collectionGroups\/(.*)\/fields\/(.*)$/).slice(1).join(".");
api.getDatabase = async () => ({ databaseEdition: "STANDARD" });
api.listIndexes = async () =>
  given.database.indexes.map((x, i) => {
    const last = x.fields[x.fields.length - 1];
    const name = { fieldPath: "__name__", order: last.order ?? "ASCENDING" };
    return { name: `${group(x.collectionGroup)}/indexes/${i}`, queryScope: x.queryScope, fields: [...x.fields, name], density: "SPARSE_ALL" };
  });
api.listFieldOverrides = async () =>
  given.database.fieldOverrides.map((o) => ({
    name: `${group(o.collectionGroup)}/fields/${o.fieldPath}`,
    ttlConfig: o.ttl ? { state: "ACTIVE" } : undefined,
    indexConfig: { indexes: o.indexes.map(({ queryScope, ...mode }) => ({ queryScope, fields: [{ fieldPath: o.fieldPath, ...mode }] })) },
  }));
api.createIndex = async () => did.created++;
api.deleteIndex = async () => did.deletedIndexes++;
api.patchField = async (_, spec) => did.replaced.push(`${spec.collectionGroup}.${spec.fieldPath}`);
api.deleteField = async (field) => did.deletedOverrides.push(short(field.name));

const endpoint = (id, labels) => [id, { id, region: "us-central1", platform: "gcfv2", httpsTrigger: {}, labels }];
const have = Object.fromEntries(Object.entries(given.functions).map(([id, labels]) => endpoint(id, labels)));
const want = Object.fromEntries(given.source.map((id) => endpoint(id, {})));
for (const changes of Object.values(planner.calculateChangesets(want, have, () => "all"))) {
  did.functions.push(...changes.endpointsToDelete.map((e) => e.id));
}

const silent = console.log;
console.log = () => {};
require(path.join(lib, "logger.js")).logger.silent = true;
api
  .deploy({ project: "p", nonInteractive: !given.force, force: given.force }, given.file.indexes, given.file.fieldOverrides)
  .then(() => silent(JSON.stringify(did)))
  .catch((err) => {
    console.error(err);
    process.exit(1);
  });
