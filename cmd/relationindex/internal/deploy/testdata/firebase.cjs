// Says which of the commands that it reads, a JSON array of arrays of arguments, firebase-tools does not define: the first
// argument is where it is installed.
const fs = require("node:fs");
const path = require("node:path");
const lib = path.join(path.resolve(process.argv[2]), "lib");
const read = (file) => fs.readFileSync(path.join(lib, file), "utf8");

// Flags of all commands are those of the program itself.
const general = [...read("index.js").matchAll(/program\.option\("(?:-\w, )?(--[a-z-]+)/g)].map((m) => m[1]);
const files = fs.readdirSync(path.join(lib, "commands")).filter((f) => f.endsWith(".js")).map((f) => path.join("commands", f));

for (const [name, ...args] of JSON.parse(fs.readFileSync(0, "utf8"))) {
  if (name === "--version") continue;
  const file = files.find((f) => read(f).includes(`.Command("${name}")`));
  if (file === undefined) {
    console.log(`${name}: no such command`);
    continue;
  }
  const own = require(path.join(lib, file)).command.options.map(([flags]) => flags.match(/--[a-z-]+/)[0]);
  for (const arg of args) {
    if (![...general, ...own].includes(arg.split("=")[0])) console.log(`${name} ${arg}: no such flag`);
  }
}
