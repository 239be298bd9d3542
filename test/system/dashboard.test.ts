import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { actor } from "../../stack/local/chain";
import { payingFetch } from "../../stack/local/paying-fetch";
import { demoPayer, hashOf } from "../../stack/local/sample/people";
import { alerts } from "../deploy/alerts";
import { dashboardQueries } from "../deploy/dashboard";
import { seriesIn } from "../deploy/metric-names";
import { FollowingClient } from "../support/event-client";
import { type Postgres, startPostgres } from "../support/postgres-server";
import { type Stack, startStack } from "../support/stack";
import { prometheus, startPrometheus } from "./prometheus";

/** Series of Prometheus itself, and of a node exporter. */
const isForeign = (name: string) => name === "up" || name.startsWith("node_");

describe("the dashboard and the alerts on a running stack", () => {
  let postgres: Postgres;
  let stack: Stack;
  let subscriber: FollowingClient;
  let agents = 0;

  beforeAll(async () => {
    postgres = await startPostgres();
    const replica = await postgres.startReplica();
    stack = await startStack({ databaseServer: postgres.url, index: false, tokens: true });
    await stack.startIndexer({ DATABASE_READ_URLS: replica.urlOf(stack.databaseUrl) });
    subscriber = new FollowingClient(`${stack.apiUrl}/events`);
    await subscriber.connect();
  });
  afterAll(async () => {
    subscriber?.cut();
    await stack?.stop();
    await postgres?.stop();
  });

  /** A new event, reads with and without the cache, and a paid request. */
  const traffic = async () => {
    const name = `agent ${++agents}`;
    await stack.write(actor(1), "AgentRegistry", "registerAgent", [name, "0x01", hashOf(name)]);
    for (const path of ["/agents/1", "/agents/1", "/intents", "/nothing"]) await fetch(stack.apiUrl + path);
    const pay = payingFetch(demoPayer, stack.contracts.TestDollar);
    expect((await pay(`${stack.apiUrl}/portfolio?address=${demoPayer.address}&chains=local`)).status).toBe(200);
  };

  it("use only metrics that it exposes", async () => {
    await traffic();
    const urls = [`${stack.apiUrl}/metrics`, `${stack.ponderUrl}/metrics`, `${stack.ponderUrl}/metrics/rpc`];
    const texts = await Promise.all(urls.map(async (url) => (await fetch(url)).text()));
    const types = [...texts.join("\n").matchAll(/^# TYPE (\w+) (\w+)$/gm)];
    const exposed = new Set(
      types.flatMap(([, name = "", type]) =>
        type === "histogram" ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
      ),
    );
    const used = new Set([...dashboardQueries, ...alerts].flatMap(({ expr }) => seriesIn(expr)));
    expect([...used].filter((name) => !isForeign(name) && !exposed.has(name))).toEqual([]);
    expect(used.size).toBeGreaterThan(30);
  });

  it.skipIf(!prometheus)("return data in every panel, and evaluate every alert without an error", async () => {
    const { host } = new URL(stack.apiUrl);
    const { host: ponder } = new URL(stack.ponderUrl);
    const targets = { "intentry-api": host, "intentry-indexer": ponder, "intentry-indexer-rpc": ponder };
    const server = await startPrometheus(prometheus ?? "", targets);
    try {
      await expect.poll(async () => (await server.query("up == 1")).length).toBe(3);
      const empty = async () => {
        await traffic();
        const results = await Promise.all(
          dashboardQueries.map(async ({ title, expr }) => ({
            panel: `${title}: ${expr}`,
            series: await server.query(expr.replaceAll("$instance", ".*")),
          })),
        );
        return results.filter(({ series }) => series.length === 0).map(({ panel }) => panel);
      };
      await expect.poll(empty, { timeout: 60_000, interval: 1_000 }).toEqual([]);
      for (const { expr } of alerts) await server.query(expr);
      const unhealthy = async () => (await server.rules()).filter(({ health }) => health !== "ok");
      await expect.poll(unhealthy, { timeout: 60_000 }).toEqual([]);
      expect((await server.rules()).map(({ name }) => name).sort()).toEqual(alerts.map(({ alert }) => alert).sort());
      const active = await server.query('ALERTS{severity="critical"}');
      expect(active.map(({ metric }) => metric.alertname)).toEqual([]);
    } finally {
      await server.stop();
    }
  });
});
