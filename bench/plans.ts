import { parseArgs } from "node:util";
import { planEventLog } from "./plans/event-log";
import { planLists } from "./plans/lists";
import { planRankings } from "./plans/rankings";
import { planSearches } from "./plans/search";
import { planTrust } from "./plans/trust";

/**
 * Prints the query plans of reads on large tables, and fails if one needs a sequential scan or reads too much: of all lists
 * and records, of rankings, of searches among records with metadata, of the event log, or of reputations and verdicts.
 * `npm run bench plans -- [--of lists|rankings|search|event-log|trust] [--rows 200000]`
 */
const checks = {
  lists: { rows: "200000", run: ([rows = 0]: number[]) => planLists(rows) },
  rankings: { rows: "200000", run: ([rows = 0]: number[]) => planRankings(rows) },
  search: { rows: "1000000", run: ([rows = 0]: number[]) => planSearches(rows) },
  trust: { rows: "200000", run: ([rows = 0]: number[]) => planTrust(rows) },
  "event-log": { rows: "1000000,10000000", run: planEventLog },
};
const isCheck = (name: string): name is keyof typeof checks => Object.hasOwn(checks, name);

const { values: options } = parseArgs({
  options: { of: { type: "string", default: "lists" }, rows: { type: "string" } },
});
if (!isCheck(options.of)) throw new Error(`--of must be one of ${Object.keys(checks).join(", ")}`);
const { run, rows } = checks[options.of];
const problems = await run((options.rows ?? rows).split(",").map(Number));
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log("Every read uses indexes.");
