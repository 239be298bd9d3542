import { readDeploy } from "./files";

/** The settings of a unit in deploy/systemd, the last one of each name. */
export const settingsOf = (unit: string): Record<string, string> =>
  Object.fromEntries(
    readDeploy(`systemd/${unit}`)
      .split("\n")
      .filter((line) => /^\w+=/.test(line))
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
