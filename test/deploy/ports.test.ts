import { describe, expect, it } from "vitest";
import { z } from "zod";
import { variables } from "../../config/variables/index";
import { readCompose, readDeploy, readYaml } from "./files";
import { dataOf, deployment } from "./kubernetes-objects";

const API = variables.API_PORT.default;
const PONDER = variables.PONDER_PORT.default;
/** Of the second gateway on one machine. */
const SECOND_API = String(Number(API) + 1);

const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found]) => found);

describe("the ports in deploy/ are those of config/variables", () => {
  it("in the Dockerfile", () => {
    expect(all(readDeploy("Dockerfile"), /^EXPOSE (.*)$/gm)).toEqual([`${API} ${PONDER}`]);
    expect(readDeploy("Dockerfile")).toContain(`process.env.API_PORT || ${API}`);
  });

  it("in compose.yaml", () => {
    const { api1, api2, caddy, indexer } = readCompose().services;
    for (const api of [api1, api2]) expect(api?.environment.API_PORT).toBe(API);
    expect(caddy?.environment.API_UPSTREAMS).toBe(`api1:${API} api2:${API}`);
    expect(indexer?.environment.PONDER_PORT).toBe(PONDER);
    expect(indexer?.healthcheck?.test.join(" ")).toContain(`127.0.0.1:${PONDER}/health`);
  });

  it("in the proxies' configurations", () => {
    expect(new Set(all(readDeploy("Caddyfile"), /\{\$API_UPSTREAMS:([^}]*)\}/g))).toEqual(
      new Set([`127.0.0.1:${API} 127.0.0.1:${SECOND_API}`]),
    );
    expect(all(readDeploy("nginx.conf"), /^\s*server 127\.0\.0\.1:(\d+)/gm)).toEqual([API, SECOND_API]);
  });

  it("in the Kubernetes manifests", () => {
    const portsOf = (name: string) => deployment(name).spec.template.spec.containers[0].ports;
    expect(portsOf("intentry-api")).toEqual([{ name: "http", containerPort: Number(API) }]);
    expect(portsOf("intentry-indexer")).toEqual([{ name: "ponder", containerPort: Number(PONDER) }]);
    expect(dataOf("intentry-api").API_PORT).toBe(API);
    expect(dataOf("intentry-indexer").PONDER_PORT).toBe(PONDER);
  });

  it("in Prometheus' targets", () => {
    const Configuration = z.object({
      scrape_configs: z.array(
        z.object({ job_name: z.string(), static_configs: z.array(z.object({ targets: z.array(z.string()) })) }),
      ),
    });
    const [prometheus] = readYaml("prometheus/prometheus.yml");
    const targets = Configuration.parse(prometheus).scrape_configs.map((job) => [
      job.job_name,
      job.static_configs.flatMap((config) => config.targets),
    ]);
    expect(Object.fromEntries(targets)).toEqual({
      "intentry-api": [`api1:${API}`, `api2:${API}`],
      "intentry-indexer": [`indexer:${PONDER}`],
      "intentry-indexer-rpc": [`indexer:${PONDER}`],
    });
  });
});
