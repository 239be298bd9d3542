import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import { stringify } from "yaml";
import { z } from "zod";
import { freePorts } from "../../stack/roles/ports";
import { deployPath, readYaml } from "../deploy/files";
import { findProgram, startProgram } from "../support/programs";

/** The path of Prometheus. Without it its tests are skipped. */
export const prometheus = findProgram("prometheus");

const Config = z.looseObject({
  scrape_configs: z.array(z.looseObject({ job_name: z.string(), static_configs: z.array(z.looseObject({})) })),
});

const Answer = z.object({
  status: z.string(),
  error: z.string().optional(),
  data: z.object({ result: z.array(z.looseObject({ metric: z.record(z.string(), z.string()) })) }).optional(),
});

const Rules = z.object({
  data: z.object({
    groups: z.array(
      z.object({
        rules: z.array(z.object({ name: z.string(), health: z.string(), lastError: z.string().optional() })),
      }),
    ),
  }),
});

/** Starts Prometheus with the configuration of deploy/, on these targets by job, and with an interval of a second. */
export async function startPrometheus(program: string, targets: Readonly<Record<string, string>>) {
  const [port = 0] = await freePorts(1);
  const folder = await mkdtemp(join(tmpdir(), "intentry-prometheus-"));
  const config = Config.parse(readYaml("prometheus/prometheus.yml")[0]);
  const scrape_configs = config.scrape_configs.map((job) => ({
    ...job,
    static_configs: [{ targets: [targets[job.job_name]] }],
  }));
  const file = join(folder, "prometheus.yml");
  await writeFile(
    file,
    stringify({
      ...config,
      global: { scrape_interval: "1s", evaluation_interval: "1s" },
      rule_files: [deployPath("prometheus/alerts.yml")],
      scrape_configs,
    }),
  );
  const url = `http://127.0.0.1:${port}`;
  const running = startProgram(program, [
    `--config.file=${file}`,
    `--storage.tsdb.path=${join(folder, "data")}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  const isReady = async () => (await fetch(`${url}/-/ready`).catch(() => undefined))?.ok === true;
  await vi.waitUntil(isReady, { timeout: 30_000, interval: 100 }).catch((error: unknown) => {
    throw new Error(`Prometheus did not start: ${running.output()}`, { cause: error });
  });
  return {
    /** The series of a query. Throws if Prometheus rejects it. */
    async query(expression: string) {
      const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expression)}`);
      const { error, data } = Answer.parse(await response.json());
      if (!data) throw new Error(`${expression}: ${error}`);
      return data.result;
    },
    /** The health of each rule: `ok`, `err` or `unknown` before its first evaluation. */
    async rules() {
      const { data } = Rules.parse(await (await fetch(`${url}/api/v1/rules`)).json());
      return data.groups.flatMap(({ rules }) => rules);
    },
    async stop() {
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
