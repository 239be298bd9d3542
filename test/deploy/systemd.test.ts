import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { CONFIGURATION_ERROR, REORG_BEYOND_FINALITY } from "../../config/exit-codes";
import { findProgram, run } from "../support/programs";
import { deployPath, isInProject, projectRoot } from "./files";
import { settingsOf } from "./units";

const UNITS = ["intentry.service", "intentry-indexer.service", "intentry-api@.service"];

/** The command of a unit, without `env` and the variables that it sets. */
const commandOf = (unit: string) => settingsOf(unit).ExecStart?.replace(/^\/usr\/bin\/env ([A-Z_]+=\S+ )*/, "") ?? "";

describe("the systemd units", () => {
  it.each(UNITS)("run programs that exist: %s", (unit) => {
    const [, program] = /^node (?:--\S+ )*dist\/current\/(\w+)\.js$/.exec(commandOf(unit)) ?? [];
    expect(isInProject(`stack/programs/${program}.ts`)).toBe(true);
  });

  it("run the same commands as the npm scripts", () => {
    const { scripts } = z
      .object({ scripts: z.record(z.string(), z.string()) })
      .parse(JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8")));
    // The scripts build the programs first, if a source is newer.
    const ofScript = (name: string) =>
      scripts[name]?.replace(/^exec /, "").replace(/stack\/run\.js (\w+)$/, "dist/current/$1.js");
    expect(commandOf("intentry.service")).toBe(ofScript("start"));
    expect(commandOf("intentry-indexer.service")).toBe(ofScript("indexer"));
    expect(commandOf("intentry-api@.service")).toBe(ofScript("api"));
  });

  it.each(UNITS)("don't restart after a configuration error: %s", (unit) => {
    const { Restart, RestartPreventExitStatus } = settingsOf(unit);
    expect(Restart).toBe("on-failure");
    expect(RestartPreventExitStatus?.split(" ")).toContain(String(CONFIGURATION_ERROR));
  });

  it("don't restart an indexer after a reorg beyond finality: the repair needs it to be stopped", () => {
    for (const unit of ["intentry.service", "intentry-indexer.service"])
      expect(settingsOf(unit).RestartPreventExitStatus?.split(" ")).toContain(String(REORG_BEYOND_FINALITY));
  });

  it.each(UNITS)("signal only the main process, which stops the others in order: %s", (unit) => {
    expect(settingsOf(unit).KillMode).toBe("mixed");
    expect(Number(settingsOf(unit).TimeoutStopSec)).toBeGreaterThanOrEqual(20);
  });

  it.each(UNITS)("can write only to their own state: %s", (unit) => {
    const { NoNewPrivileges, ProtectSystem, StateDirectory = "", Environment } = settingsOf(unit);
    expect({ NoNewPrivileges, ProtectSystem }).toEqual({ NoNewPrivileges: "true", ProtectSystem: "strict" });
    expect(Environment).toContain(`INTENTRY_DIR=%S/${StateDirectory}`);
  });

  it("have a state folder each: only one process can use it", () => {
    expect(new Set(UNITS.map((unit) => settingsOf(unit).StateDirectory)).size).toBe(UNITS.length);
    expect(settingsOf("intentry-api@.service").StateDirectory).toContain("%i");
  });
});

const systemdAnalyze = findProgram("systemd-analyze");

describe.skipIf(!systemdAnalyze)("systemd-analyze verify", () => {
  const folder = mkdtempSync(join(tmpdir(), "intentry-units-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(UNITS)("accepts %s", (unit) => {
    const file = join(folder, unit.replace("@", "@3001"));
    copyFileSync(deployPath(`systemd/${unit}`), file);
    const { status, output } = run(systemdAnalyze ?? "", ["verify", "--man=no", file]);
    // It also prints problems of the host's own units.
    expect(output.split("\n").filter((line) => line.includes("intentry"))).toEqual([]);
    expect(status).toBe(0);
  });
});
