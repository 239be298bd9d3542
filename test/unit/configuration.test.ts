import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { describe, expect, it } from "vitest";
import { parseEnvironment } from "../../config/environment";
import { sharedVariableNames, variableGroups, variableNames } from "../../config/variables/index";
import { configurationPage, envExample } from "../../scripts/configuration";

const root = resolve(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const variables = new Map(variableGroups.flatMap((group) => Object.entries(group.variables)));

/** An environment without its functions, which can't be compared. */
const comparable = (source: Parameters<typeof parseEnvironment>[0]) =>
  JSON.parse(JSON.stringify(parseEnvironment(source)));

describe(".env.example", () => {
  it("is up to date with the table of variables", () => {
    expect(read(".env.example")).toBe(envExample());
  });

  it("assigns every variable that is not internal", () => {
    const names = [...variables].flatMap(([name, { internal }]) => (internal ? [] : [name]));
    expect(Object.keys(parseEnv(read(".env.example"))).sort()).toEqual(names.sort());
  });

  it("parses to the defaults", () => {
    expect(comparable(parseEnv(read(".env.example")))).toEqual(comparable({}));
  });

  it("parses to the defaults of another chain once the chain is set", () => {
    const chain = { NETWORK: "base-sepolia", RPC_URL: "https://rpc.example", PUBLIC_BASE_URL: "https://api.example" };
    expect(comparable({ ...parseEnv(read(".env.example")), ...chain })).toEqual(comparable(chain));
  });
});

describe("docs/configuration.md", () => {
  it("is up to date with the table of variables", () => {
    expect(read("docs/configuration.md")).toBe(configurationPage());
  });

  it("documents every variable", () => {
    for (const name of variables.keys()) expect(read("docs/configuration.md")).toContain(`\`${name}\``);
  });
});

describe("the table of variables", () => {
  it("has a unique name and property for each variable", () => {
    const names = variableGroups.flatMap((group) => Object.keys(group.variables));
    expect(new Set(names).size).toBe(names.length);
    const properties = [...variables.values()].flatMap(({ property }) => property ?? []);
    expect(new Set(properties).size).toBe(properties.length);
  });

  it("has the settings that belong to a machine, and are not published for others", () => {
    const own = variableNames.filter((name) => !sharedVariableNames.includes(name));
    const ofMachine =
      /^(API_|PONDER_|ANVIL_|DATABASE_|INDEX_SCHEMA$|INTENTRY_|RESPONSE_CACHE|LOG_LEVEL$|NODE_ENV$|OTEL_|SAMPLE_)/;
    expect(own.filter((name) => !ofMachine.test(name))).toEqual([]);
  });

  it("has only valid defaults", () => {
    for (const [name, { type, default: value = {} }] of variables)
      for (const text of typeof value === "string" ? [value] : Object.values(value))
        expect(type.safeParse(text).success, `${name}=${text}`).toBe(true);
  });

  it("has every variable that the code reads, except those of the system and of vitest", () => {
    const others = ["PATH", "SystemRoot", "TEMP", "VITEST_POOL_ID", "XDG_CACHE_HOME"];
    const sources = ["api", "common", "config", "rpc", "src", "stack", "workarounds"]
      .flatMap((folder) =>
        readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
      )
      .filter((file) => file.endsWith(".ts"))
      .concat("ponder.config.ts", "ponder.schema.ts")
      .map(read);
    const reads = sources.flatMap((source) => [
      ...Array.from(source.matchAll(/process\.env\??\.(\w+)/g), ([, name = ""]) => name),
      ...Array.from(source.matchAll(/\{([^{}]*)\} = process\.env\b/g), ([, names = ""]) =>
        names.split(",").map((name) => name.replace(/[:=].*/s, "").trim()),
      ).flat(),
      ...Array.from(source.matchAll(/process\.env\[([^\]]+)\]/g), ([, name = ""]) => name),
    ]);
    expect(new Set(reads.filter((name) => !variables.has(name)))).toEqual(new Set(others));
  });
});
