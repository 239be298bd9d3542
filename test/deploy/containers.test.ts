import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { compile, compileIndexer } from "../../stack/compile.js";
import { isInProject, projectRoot, readCompose, readDeploy } from "./files";

const dockerfile = readDeploy("Dockerfile").replaceAll(/\\\n\s*/g, " ");
const lines = (instruction: string) =>
  [...dockerfile.matchAll(new RegExp(`^${instruction} (.*)$`, "gm"))].map(([, rest = ""]) => rest);

/** The paths that the image copies from the project. */
const copied = lines("COPY")
  .filter((line) => !line.startsWith("--from"))
  .flatMap((line) => line.split(" ").slice(0, -1));

describe("the Dockerfile", () => {
  it("copies paths that exist, and that its .dockerignore includes", () => {
    expect(copied.length).toBeGreaterThan(10);
    expect(copied.filter((path) => !isInProject(path))).toEqual([]);
    const included = readDeploy("Dockerfile.dockerignore")
      .split("\n")
      .filter((line) => line.startsWith("!"))
      .map((line) => line.slice(1));
    expect(included.sort()).toEqual([...copied].sort());
  });

  it("copies every source of the programs, so that nothing is compiled when the container starts", async () => {
    const Manifest = z.object({ sources: z.array(z.string()) });
    for (const program of ["stack/start.ts", "stack/run-reindex.ts", "api/server.ts"]) await compile(program);
    await compileIndexer();
    const sources = ["stack-start", "stack-run-reindex", "api-server", "explorer", "indexer"].flatMap(
      (name) => Manifest.parse(JSON.parse(readFileSync(join(projectRoot, "dist", `${name}.json`), "utf8"))).sources,
    );
    const isCopied = (source: string) => copied.some((path) => source === path || source.startsWith(`${path}/`));
    expect(sources.filter((source) => !isCopied(source))).toEqual([]);
  });

  it("compiles in the folder in which it runs, because compiled files contain their path", () => {
    expect(new Set(lines("WORKDIR"))).toEqual(new Set(["/opt/intentry"]));
    expect(lines("RUN").some((line) => line.startsWith("node stack/compile.js"))).toBe(true);
  });

  it("runs as a numbered user, and starts Node itself, which receives signals", () => {
    expect(lines("USER")).toEqual(["1000:1000"]);
    const entrypoint = z.array(z.string()).parse(JSON.parse(lines("ENTRYPOINT")[0] ?? ""));
    expect(entrypoint[0]).toBe("node");
    expect(isInProject(entrypoint[1] ?? "")).toBe(true);
    expect(JSON.parse(lines("CMD")[0] ?? "")).toEqual(["stack/start"]);
  });

  it("checks /health with Node", () => {
    const [check = ""] = lines("HEALTHCHECK");
    const command = z.array(z.string()).parse(JSON.parse(check.slice(check.indexOf("["))));
    expect(command.slice(0, 2)).toEqual(["node", "-e"]);
    expect(command[2]).toContain("/health");
    // Throws if it is not valid JavaScript.
    expect(() => new Function(command[2] ?? "throw")).not.toThrow();
  });
});

describe("compose.yaml", () => {
  const { services, volumes } = readCompose();

  it("has PostgreSQL 18, one indexer, two gateways and Caddy", () => {
    expect(Object.keys(services)).toEqual(expect.arrayContaining(["postgres", "indexer", "api1", "api2", "caddy"]));
    expect(services.postgres?.image).toBe("postgres:18");
    const roles = ["indexer", "api1", "api2"].map((name) => services[name]?.command);
    const role = (name: string) => ["stack/start", "--role", name];
    expect(roles).toEqual([role("indexer"), role("api"), role("api")]);
  });

  it("keeps the data of PostgreSQL 18 in a volume: its data folder is below /var/lib/postgresql", () => {
    expect(services.postgres?.volumes).toEqual(["postgres:/var/lib/postgresql"]);
    const used = Object.values(services).flatMap((service) =>
      service.volumes.map((volume) => volume.split(":")[0] ?? "").filter((name) => !name.startsWith(".")),
    );
    expect(used.sort()).toEqual(Object.keys(volumes).sort());
  });

  it("publishes only Caddy, and Prometheus on loopback", () => {
    const published = Object.entries(services).flatMap(([name, { ports }]) => ports.map((port) => `${name} ${port}`));
    expect(published).toEqual(["caddy 80:80", "caddy 443:443", "caddy 443:443/udp", "prometheus 127.0.0.1:9090:9090"]);
  });

  it.each(["indexer", "api1", "api2"])("runs %s from a read-only image, with time to stop", (name) => {
    expect(services[name]).toMatchObject({ read_only: true, stop_grace_period: "30s", init: true, cap_drop: ["ALL"] });
  });

  it("mounts files that exist", () => {
    const mounted = Object.values(services).flatMap(({ volumes }) =>
      volumes.filter((volume) => volume.startsWith(".")),
    );
    expect(mounted.length).toBeGreaterThan(0);
    for (const volume of mounted) expect(isInProject(join("deploy", volume.split(":")[0] ?? "")), volume).toBe(true);
  });
});
