import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { requireBuild } from "../stack/run.js";

/** The benchmarks. The comment of each file says what it measures and which options it has. */
const benchmarks = {
  reads: "requests per second of the routes, beside Express with pg or another commit",
  growth: "how much slower reads are on a large index",
  indexing: "events per second, alone and under read load, or requests to a remote node",
  plans: "that reads of large tables use indexes",
  visibility: "the time from mining a block until a read returns it",
  listeners: "reads while subscribers read the whole history",
  soak: "memory at rest, over time under load, and after",
};

const [name = ""] = process.argv.splice(2, 1);
if (Object.hasOwn(benchmarks, name)) {
  requireBuild();
  await import(pathToFileURL(join(import.meta.dirname, `${name}.ts`)).href);
} else {
  const lines = Object.entries(benchmarks).map(([each, what]) => `  ${each.padEnd(12)}${what}`);
  console.error(`npm run bench <name> [-- options]\n${lines.join("\n")}`);
  process.exitCode = 1;
}
