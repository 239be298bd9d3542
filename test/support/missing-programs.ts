import { pathToFileURL } from "node:url";
import type { Reporter, TestModule } from "vitest/node";
import { findChromium } from "./chromium";
import { findProgram, type ProgramName, programs } from "./programs";

/** The programs that are not installed. */
async function missingPrograms(): Promise<ProgramName[]> {
  const names = Object.keys(programs) as ProgramName[];
  const chromium = await findChromium();
  return names.filter((name) => !(name === "chromium" ? chromium : findProgram(name)));
}

const packagesOf = (names: readonly ProgramName[]) =>
  [...new Set(names.map((name) => programs[name].package))].join(" ");

/** Says at the end of a run which tests were skipped because a program is missing, and how to install it. */
export default class MissingPrograms implements Reporter {
  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    const ran = new Set(modules.map(({ moduleId }) => /\/test\/(\w+)\//.exec(moduleId)?.[1]));
    const missing = (await missingPrograms()).filter((name) => programs[name].folders.some((one) => ran.has(one)));
    if (missing.length === 0) return;
    console.log(`Tests were skipped that need ${missing.join(", ")}. Debian: apt-get install ${packagesOf(missing)}`);
  }
}

// .ci/run installs what this prints.
if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  console.log(packagesOf(await missingPrograms()));
