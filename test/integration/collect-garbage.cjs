// Required by a process under test: collects its garbage again and again, so that its metrics say what it holds.
const { setFlagsFromString } = require("node:v8");
const { runInNewContext } = require("node:vm");

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
setInterval(collect, 5_000).unref();
