import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { requireBuild } from "../support/bundle";
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

  it("copies every source of the programs, and builds them, so that nothing is built when the container starts", async () => {
    await requireBuild();
    const build = readFileSync(join(projectRoot, "dist", "current", "build.json"), "utf8");
    const { sources } = z.object({ sources: z.array(z.string()) }).parse(JSON.parse(build));
    const isCopied = (source: string) => copied.some((path) => source === path || source.startsWith(`${path}/`));
    expect(sources.length).toBeGreaterThan(100);
    expect(sources.filter((source) => !isCopied(source))).toEqual([]);
    expect(lines("RUN").some((line) => line.startsWith("node stack/build.js"))).toBe(true);
  });

  it("copies the sources that Ponder loads, and lets it write its types nowhere", () => {
    expect(copied).toEqual(
      expect.arrayContaining(["src", "ponder.config.ts", "ponder.schema.ts", "vite.config.cjs", "tsconfig.json"]),
    );
    expect(lines("RUN").some((line) => line.includes("ln -s /dev/null ponder-env.d.ts"))).toBe(true);
  });

  it("runs as a numbered user, and starts Node itself, which receives signals", () => {
    expect(lines("USER")).toEqual(["1000:1000"]);
    expect(JSON.parse(lines("ENTRYPOINT")[0] ?? "")).toEqual(["node"]);
    expect(JSON.parse(lines("CMD")[0] ?? "")).toEqual(["dist/current/start.js"]);
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
    const api = ["dist/current/api.js"];
    expect(roles).toEqual([["--max-semi-space-size=64", "dist/current/indexer.js"], api, api]);
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
