// Preloaded into a process under test. Collects garbage periodically, so that its heap metric shows live objects.
const { setFlagsFromString } = require("node:v8");
const { runInNewContext } = require("node:vm");

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
setInterval(collect, 5_000).unref();
