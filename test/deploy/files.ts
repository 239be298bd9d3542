import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { parseAllDocuments } from "yaml";
import { z } from "zod";

export const projectRoot = resolve(import.meta.dirname, "..", "..");

/** A path in deploy/. */
export const deployPath = (path: string) => join(projectRoot, "deploy", path);

export const readDeploy = (path: string) => readFileSync(deployPath(path), "utf8");

export const isInProject = (path: string) => existsSync(join(projectRoot, path));

/** The documents of a YAML file in deploy/. Throws on errors and warnings, such as duplicate keys. */
export function readYaml(path: string): unknown[] {
  return parseAllDocuments(readDeploy(path), { merge: true }).map((document) => {
    for (const problem of [...document.errors, ...document.warnings]) throw problem;
    return document.toJS();
  });
}

/** The variables of an environment file, including those that are commented out. */
export const variablesOf = (path: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parseEnv(readDeploy(path).replaceAll(/^#(?=[A-Z][A-Z0-9_]*=)/gm, ""))).map(([name, value]) => [
      name,
      value ?? "",
    ]),
  );

const Compose = z.object({
  services: z.record(
    z.string(),
    z.looseObject({
      image: z.string(),
      command: z.array(z.string()).optional(),
      environment: z.record(z.string(), z.string()).default({}),
      ports: z.array(z.string()).default([]),
      volumes: z.array(z.string()).default([]),
      read_only: z.boolean().optional(),
      stop_grace_period: z.string().optional(),
      healthcheck: z.object({ test: z.array(z.string()) }).optional(),
    }),
  ),
  volumes: z.record(z.string(), z.unknown()),
});

export const readCompose = () => Compose.parse(readYaml("compose.yaml")[0]);
