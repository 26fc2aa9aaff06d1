// The Auth emulator compiles the schemas of all methods of its API when it starts: ten seconds and more. exegesis, which does
// that for it, can do it when a method is called first, but firebase-tools does not say so. See launch.go.
"use strict";

const Module = require("module");

const load = Module._load;
Module._load = function (name, ...rest) {
  const loaded = load.call(this, name, ...rest);
  if (name !== "exegesis-express" || typeof loaded.middleware !== "function") return loaded;
  return {
    ...loaded,
    middleware: (document, options) => loaded.middleware(document, { ...options, lazyCompileValidationSchemas: true }),
  };
};
