import { describe, expect, it } from "vitest";
import { parseEnvironment } from "../../config/environment";
import { variableNames } from "../../config/variables/index";
import { readCompose, readDeploy, variablesOf } from "./files";
import { dataOf } from "./kubernetes-objects";

/** Variables of compose.yaml and the Caddyfile themselves, not of the service. */
const OF_COMPOSE = ["POSTGRES_PASSWORD", "INTENTRY_IMAGE", "API_UPSTREAMS"];

// Programs of every kind read XDG_CACHE_HOME.
const known = new Set([...variableNames, "XDG_CACHE_HOME"]);

const compose = readCompose().services;
const composeSettings = variablesOf("compose.env.example");

/** Replaces `${NAME}`, `${NAME:-default}` and `${NAME:?message}` as Docker Compose does. */
const interpolate = (text: string, values: Record<string, string>) =>
  text.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind?: string, word = "") =>
    values[name] ? values[name] : kind === "-" ? word : "",
  );

const ofUnit = (name: string) => {
  const unit = readDeploy(`systemd/${name}`);
  const settings = [...unit.matchAll(/^Environment=(.*)$/gm)].flatMap(([, line = ""]) => line.split(" "));
  const ofCommand = [...unit.matchAll(/^ExecStart=(.*)$/gm)].flatMap(
    ([, line = ""]) => line.match(/\b[A-Z_]+=\S+/g) ?? [],
  );
  return [...settings, ...ofCommand].map((setting) => setting.split("=")[0] ?? "");
};

const sources: Record<string, string[]> = {
  "Dockerfile, ENV": [...readDeploy("Dockerfile").matchAll(/^(?:ENV| {4})\s*([A-Z_]+)=/gm)].map(
    ([, name = ""]) => name,
  ),
  ...Object.fromEntries(
    ["indexer", "api1", "api2"].map((name) => [`compose.yaml, ${name}`, Object.keys(compose[name]?.environment ?? {})]),
  ),
  "compose.env.example": Object.keys(composeSettings).filter((name) => !OF_COMPOSE.includes(name)),
  Caddyfile: [...readDeploy("Caddyfile").matchAll(/\{\$(\w+)/g)]
    .map(([, name = ""]) => name)
    .filter((name) => !OF_COMPOSE.includes(name)),
  "systemd/intentry.env.example": Object.keys(variablesOf("systemd/intentry.env.example")),
  "systemd/intentry.service": ofUnit("intentry.service"),
  "systemd/intentry-indexer.service": ofUnit("intentry-indexer.service"),
  "systemd/intentry-api@.service": ofUnit("intentry-api@.service"),
  "kubernetes/configmap.yaml": Object.keys({ ...dataOf("intentry-indexer"), ...dataOf("intentry-api") }),
};

describe("the environment variables in deploy/", () => {
  it.each(Object.entries(sources))("exist: %s", (_, names) => {
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });

  it("are all in compose.env.example, if compose.yaml reads them", () => {
    const read = [...readDeploy("compose.yaml").matchAll(/\$\{(\w+)/g)].map(([, name = ""]) => name);
    expect(Object.keys(composeSettings)).toEqual(expect.arrayContaining(read));
  });
});

describe("a valid environment", () => {
  const filledIn = { ...composeSettings, POSTGRES_PASSWORD: "secret", RPC_URL: "https://rpc.example.com" };

  it("is that of the indexer in compose.yaml", () => {
    const values = Object.entries(compose.indexer?.environment ?? {});
    const environment = parseEnvironment(
      Object.fromEntries(values.map(([name, value]) => [name, interpolate(value, filledIn)])),
    );
    expect(environment).toMatchObject({
      networkName: "base-sepolia",
      databaseUrl: "postgres://intentry:secret@postgres:5432/intentry",
      publicBaseUrl: "https://api.example.com",
    });
  });

  it("is that of the indexer in Kubernetes", () => {
    const { networkName, databaseUrl } = parseEnvironment({
      ...dataOf("intentry-indexer"),
      ...dataOf("intentry-database"),
    });
    expect({ networkName, databaseUrl }).toMatchObject({
      networkName: "base-sepolia",
      databaseUrl: expect.stringContaining("@postgres.example.com:5432/"),
    });
  });

  it("is the example for systemd, whose gateways trust the proxy and listen on loopback only", () => {
    expect(parseEnvironment(variablesOf("systemd/intentry.env.example"))).toMatchObject({
      networkName: "base-sepolia",
      trustProxy: true,
      apiHost: "127.0.0.1",
    });
  });
});
