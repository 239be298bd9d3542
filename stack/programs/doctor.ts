import { parseArgs } from "node:util";
import { describeSources, loadEnvFiles } from "../../config/env-files";
import { diagnose } from "../doctor/diagnose";
import { jsonReport, textReport } from "../doctor/report";

const { values } = parseArgs({ options: { json: { type: "boolean", default: false } } });
const sources = describeSources(loadEnvFiles(".", process.env));
const { results, exitCode } = await diagnose(process.env);
const report = values.json ? jsonReport(results) : `${sources}\n\n${textReport(results)}`;
// A connection of a check that timed out may still be open.
process.stdout.write(`${report}\n`, () => process.exit(exitCode));
