import { createReadStream } from "node:fs";
import { access, constants } from "node:fs/promises";
import { parseArgs } from "node:util";
import { describeSources, loadEnvFiles } from "../config/env-files";
import { parseEnvironment } from "../config/environment";
import { tablesReport } from "./backup/report";
import { CannotRestore, restore, storedRows } from "./backup/restore";
import { confirm } from "./confirm";
import { withDatabase } from "./with-database";

/** Asks before stored rows are deleted. */
async function requireConsent(databaseUrl: string): Promise<void> {
  const rows = await storedRows(databaseUrl);
  if (
    rows > 0 &&
    !(await confirm(`Delete the ${rows.toLocaleString("en-US")} rows of the store and restore the backup?`))
  )
    throw new CannotRestore("Nothing was changed. Add --yes to confirm without a terminal.");
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { replace: { type: "boolean", default: false }, yes: { type: "boolean", default: false } },
  });
  const [file] = positionals;
  if (file === undefined) throw new CannotRestore("The file is missing: npm run restore -- FILE [--replace] [--yes]");
  console.log(describeSources(loadEnvFiles(".", process.env)));
  if (file !== "-")
    await access(file, constants.R_OK).catch(() => {
      throw new CannotRestore(`Can't read ${file}.`);
    });
  const { tables, time } = await withDatabase(parseEnvironment(process.env), async (databaseUrl) => {
    if (values.replace && !values.yes) await requireConsent(databaseUrl);
    const input = file === "-" ? process.stdin : createReadStream(file);
    return restore({ databaseUrl, input, replace: values.replace });
  });
  console.log(tablesReport(tables));
  console.log(`Restored the backup of ${time}. All checksums match. Start the service now.`);
}

try {
  await main();
} catch (error) {
  if (!(error instanceof Error)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
