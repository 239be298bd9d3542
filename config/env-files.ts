import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { variableNames } from "./variables/index";

/** In order of precedence. Ponder reads the first one too. */
const FILES = [".env.local", ".env"];

/**
 * Sets the variables of the files in a folder, except those that are already set. Returns where each variable of this
 * service is set, by its name.
 */
export function loadEnvFiles(folder: string, env: NodeJS.ProcessEnv): ReadonlyMap<string, string> {
  const sources = new Map(variableNames.filter((name) => env[name]).map((name) => [name, "environment"]));
  for (const file of FILES) {
    const path = join(folder, file);
    if (!existsSync(path)) continue;
    for (const [name, value] of Object.entries(parseEnv(readFileSync(path, "utf8")))) {
      if (env[name] !== undefined) continue;
      env[name] = value;
      if (variableNames.includes(name)) sources.set(name, file);
    }
  }
  return sources;
}

/**
 * Lists the variables that are set, without their values.
 *
 * @example
 * describeSources(new Map([["API_PORT", ".env"]])) // "Settings: API_PORT (.env)"
 */
export const describeSources = (sources: ReadonlyMap<string, string>): string =>
  `Settings: ${[...sources].map(([name, source]) => `${name} (${source})`).join(", ") || "all at their defaults"}`;
