import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PaymentRequired } from "@x402/core/types";
import { keccak256, stringToHex } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { localFacilitator } from "../../api/payments/facilitators/local";
import { addressVariable, contractNames } from "../../config/contracts";
import { actor, mineEvery, startChain } from "../../stack/local/chain";
import { deploy } from "../../stack/local/deploy";
import { query } from "../../stack/local/postgres/cluster";
import { type Protocol, protocolOn } from "../../stack/local/protocol";
import { SAMPLE_HISTORY_SECONDS, sampleActivity } from "../../stack/local/sample/index";
import { freePorts } from "../../stack/roles/ports";
import { deployPath, projectRoot } from "../deploy/files";
import type { HttpProxy } from "../support/http-proxy";
import { onDatabase, postgresPrograms } from "../support/postgres-programs";
import { type Postgres, startPostgres } from "../support/postgres-server";
import { changeIndexBuild } from "../support/project-copy";
import { compareServers } from "../support/same-answers/compare";
import { eventually } from "../support/simulation/service";
import { startFacilitatorServer } from "../support/x402/facilitator-server";
import { askedFor, buy, receiptOf, sign } from "../support/x402/payer";
import { startBalancer } from "./balancer";
import { blockWith, runBlock, withSettings } from "./guide";
import { RetriedReads } from "./retried-reads";
import { type Installation, UnitProcess } from "./unit-process";

const CHAIN_ID = 424242;
const NETWORK = `eip155:${CHAIN_ID}` as const;
const PORTFOLIO_CHAIN_ID = 8453;
/** Blocks come at this interval: a public chain does not stand still. */
const BLOCK_MS = 2_000;
const READS = ["/intents?limit=5", "/agents/1", "/analytics/commerce", "/solvers", "/health"];
const PASSWORD = "rehearsal";
const ENVIRONMENT_FILE = "/etc/intentry/intentry.env";
const [FIRST, SECOND] = ["1".repeat(32), "2".repeat(32)] as const;
const AUTHORIZATION = "Bearer rehearsal";

const [payer, payee] = [actor(9), actor(18).address];

/**
 * docs/operations.md by the book, on a chain with another id: its commands are read from the document, and the units and
 * the proxy's file from deploy/. Not as in the document are the paths, SQL in place of `createuser` and `createdb`, and the
 * process manager in place of systemd.
 */
describe("the operations guide", () => {
  const stops: (() => unknown)[] = [];
  const folder = mkdtempSync(join(tmpdir(), "intentry-rehearsal-"));
  const root = join(folder, "opt");
  const installation: Installation = { root, environmentFile: join(folder, "intentry.env"), stateFolder: folder };
  const rows: string[] = [];
  const gateways = new Map<number, UnitProcess>();
  let postgres: Postgres;
  let protocol: Protocol;
  let rpcUrl: string;
  let portfolioRpcUrl: string;
  let balancer: HttpProxy;
  let facilitator: Awaited<ReturnType<typeof startFacilitatorServer>>;
  let indexer: UnitProcess;
  let reads: RetriedReads | undefined;
  let step = "install";

  /** Runs a step of the guide, and measures its time and the reads meanwhile. */
  const timed = async (name: string, act: () => Promise<void>) => {
    step = name;
    const before = { requests: reads?.requests ?? 0, failures: reads?.failures ?? 0 };
    const start = performance.now();
    await act();
    const seconds = ((performance.now() - start) / 1_000).toFixed(1);
    const during = reads ? `${reads.requests - before.requests} | ${reads.failures - before.failures}` : "– | –";
    rows.push(`| ${name} | ${seconds} | ${during} |`);
  };
  const change = (values: Record<string, string>, { environmentFile } = installation) =>
    writeFileSync(environmentFile, withSettings(readFileSync(environmentFile, "utf8"), values));
  const unit = (name: string, overrides: NodeJS.ProcessEnv = {}, on = installation, instance = "") => {
    const process = new UnitProcess(name, on, overrides, instance);
    stops.push(() => process.stop());
    process.start();
    return process;
  };
  const stateOf = async (url: string) => {
    const response = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(5_000) });
    return (await response.json()) as { ready: boolean; chain_id: number; block_number: string };
  };
  const isReady = async (url: string) => (await fetch(`${url}/ready`, { signal: AbortSignal.timeout(5_000) })).ok;
  const ready = async (port: number, gateway: UnitProcess) => {
    await eventually(`a gateway on port ${port}`, async () => gateway.hasEnded || isReady(`http://127.0.0.1:${port}`));
    gateway.check();
  };
  const startGateway = async (on = installation) => {
    const [port = 0] = await freePorts(1);
    const gateway = unit("intentry-api@.service", {}, on, String(port));
    await ready(port, gateway);
    return { port, gateway };
  };
  const restartGateways = async () => {
    for (const [port, gateway] of gateways) {
      await gateway.restart();
      await ready(port, gateway);
    }
  };
  const publish = (text: string, token?: string) =>
    fetch(`${balancer.url}/catalogs`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify({ catalog_json: text }),
    });
  const createDatabase = async (name: string) => {
    await query(postgres.url, `CREATE DATABASE ${name} OWNER service`);
    return `postgres://service:${PASSWORD}@127.0.0.1:${new URL(postgres.url).port}/${name}`;
  };

  beforeAll(async () => {
    const [port = 0, portfolioPort = 0] = await freePorts(2);
    // The backup needs the client programs of the server's version. The embedded PostgreSQL has none.
    postgres = await startPostgres(postgresPrograms);
    stops.push(() => postgres.stop());
    const startTime = Math.floor(Date.now() / 1_000) - SAMPLE_HISTORY_SECONDS;
    const chain = await startChain({ port, chainId: CHAIN_ID, startTime });
    const portfolioChain = await startChain({ port: portfolioPort, chainId: PORTFOLIO_CHAIN_ID });
    ({ rpcUrl } = chain);
    portfolioRpcUrl = portfolioChain.rpcUrl;
    stops.push(() => chain.child.stop());
    stops.push(() => portfolioChain.child.stop());
    balancer = await startBalancer();
    stops.push(() => balancer.close());
    protocol = protocolOn(chain.client, await deploy(chain.client));
    await sampleActivity(protocol, balancer.url, () => {});
    await protocol.write(actor(0), "TestDollar", "mint", [payer.address, 1_000_000n]);
    const mining = mineEvery(chain.client, BLOCK_MS);
    stops.push(() => mining.stop());
    facilitator = await startFacilitatorServer(localFacilitator(rpcUrl, NETWORK));
    stops.push(() => facilitator.stop());
  }, 600_000);
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
    rmSync(folder, { recursive: true, force: true });
    console.log(["| Step | Seconds | Reads | Repeated |", "| --- | ---: | ---: | ---: |", ...rows].join("\n"));
  });

  it("installs the service", { timeout: 900_000 }, async () => {
    await query(postgres.url, `CREATE ROLE service LOGIN PASSWORD '${PASSWORD}'`);
    const databaseUrl = await createDatabase("service");
    await timed("Install: clone, `npm ci`, build", async () => {
      const replace = { "https://github.com/…": projectRoot, "/opt/intentry": root };
      await runBlock(blockWith("With systemd", "git clone"), { replace });
    });
    writeFileSync(installation.environmentFile, readFileSync(deployPath("systemd/intentry.env.example")), {
      mode: 0o600,
    });
    const contracts = contractNames.map((name) => [addressVariable(name), protocol.contracts[name]]);
    change({
      ...{ NETWORK: "custom", CHAIN_ID: String(CHAIN_ID), RPC_URL: rpcUrl, START_BLOCK: "0" },
      ...Object.fromEntries(contracts),
      ...{ DATABASE_URL: databaseUrl, PUBLIC_BASE_URL: balancer.url },
      // All clients of the test have one address.
      ...{ RATE_LIMIT_REQUESTS: "1000000" },
    });
    await timed("Check the settings: doctor", async () => {
      const block = blockWith("With systemd", "npm run doctor");
      const replace = { "/opt/intentry": root, [ENVIRONMENT_FILE]: installation.environmentFile };
      const output = await runBlock(block, { replace });
      expect(output).toContain(`serves chain ${CHAIN_ID}`);
      expect(output).not.toMatch(/^failed/m);
    });
  });

  it("starts an indexer and two gateways", { timeout: 300_000 }, async () => {
    await timed("First start: one indexer, two gateways", async () => {
      indexer = unit("intentry-indexer.service");
      for (const { port, gateway } of [await startGateway(), await startGateway()]) {
        gateways.set(port, gateway);
        balancer.add(port);
      }
    });
    await eventually("the proxy", () => isReady(balancer.url));
    expect(await stateOf(balancer.url)).toMatchObject({ ready: true, chain_id: CHAIN_ID });
    reads = new RetriedReads(balancer.url, READS, () => step);
  });

  it("scales out", { timeout: 300_000 }, async () => {
    await timed("Scale out: a third gateway", async () => {
      const { port, gateway } = await startGateway();
      gateways.set(port, gateway);
      balancer.add(port);
    });
  });

  it("rotates a write token without rejecting a client", { timeout: 300_000 }, async () => {
    change({ WRITE_TOKENS: FIRST });
    await restartGateways();
    expect((await publish('{"rehearsal":1}')).status).toBe(401);
    await timed("Rotate secrets: a write token", async () => {
      change({ WRITE_TOKENS: `${FIRST},${SECOND}` });
      await restartGateways();
      expect((await publish('{"rehearsal":2}', FIRST)).status).toBe(201);
      expect((await publish('{"rehearsal":3}', SECOND)).status).toBe(201);
      change({ WRITE_TOKENS: SECOND });
      await restartGateways();
    });
    expect((await publish('{"rehearsal":4}', FIRST)).status).toBe(401);
    expect((await publish('{"rehearsal":5}', SECOND)).status).toBe(201);
  });

  it("is paid", { timeout: 300_000 }, async () => {
    const names = [...blockWith("Be paid", "X402_PAY_TO").matchAll(/^(X402_\w+)=/gm)].map(([, name]) => name);
    const settings = {
      ...{ X402_PAY_TO: payee, X402_FACILITATOR_URL: facilitator.url, X402_FACILITATOR_AUTH: AUTHORIZATION },
      ...{ X402_NETWORK: NETWORK, X402_RPC_URL: rpcUrl, X402_PRICE: "0.01" },
    };
    expect(names).toEqual(Object.keys(settings));
    const { TestDollar } = protocol.contracts;
    const asset = { X402_ASSET: `${TestDollar},Test Dollar,1,6` };
    const url = `${balancer.url}/portfolio?address=${payee}&chains=base`;
    expect((await fetch(url)).status).toBe(404);
    await timed("Be paid: settings, restart, a sale", async () => {
      change({ ...settings, ...asset, RPC_URL_BASE: portfolioRpcUrl });
      await restartGateways();
      const required: PaymentRequired = askedFor(await fetch(url));
      const sold = await buy(url, (await sign(payer, required)).header);
      expect([sold.status, receiptOf(sold).success]).toEqual([200, true]);
    });
    expect(await protocol.read("TestDollar", "balanceOf", [payee])).toBe(10_000n);
    expect([...facilitator.authorizations]).toEqual([AUTHORIZATION]);
  });

  it("starts again after kills, and after a restart of PostgreSQL", { timeout: 300_000 }, async () => {
    const [[port, gateway] = []] = gateways;
    if (port === undefined || !gateway) throw new Error("No gateway runs");
    await timed("A gateway is killed", async () => {
      await gateway.kill();
      await ready(port, gateway);
    });
    const isNext = async () => {
      const next = (await protocol.client.getBlockNumber()) + 1n;
      return eventually(`block ${next}`, async () => BigInt((await stateOf(balancer.url)).block_number) >= next);
    };
    await timed("The indexer is killed", async () => {
      await indexer.kill();
      await isNext();
    });
    await timed("PostgreSQL restarts", async () => {
      await postgres.whileStopped(async () => {});
      await isNext();
      for (const [one, running] of gateways) await ready(one, running);
    });
  });

  it("is upgraded to a version with another index, without downtime", { timeout: 600_000 }, async () => {
    const next = { ...installation, root: join(folder, "next") };
    await runBlock(`git clone -q ${root} ${next.root}`);
    symlinkSync(join(root, "node_modules"), join(next.root, "node_modules"));
    await changeIndexBuild(next.root);
    await runBlock("npm run build", { cwd: next.root });
    await timed("Upgrade without downtime: another index, three gateways", async () => {
      const [ponderPort = 0] = await freePorts(1);
      const own = { PONDER_PORT: String(ponderPort), INTENTRY_DIR: join(folder, "next-indexer") };
      const nextIndexer = unit("intentry-indexer.service", own, next);
      await eventually("the new index", () => isReady(`http://127.0.0.1:${ponderPort}`));
      for (const [port, gateway] of [...gateways]) {
        await gateway.stop();
        const replacement = unit("intentry-api@.service", {}, next, String(port));
        gateways.set(port, replacement);
        await ready(port, replacement);
      }
      await indexer.stop();
      indexer = nextIndexer;
    });
    await eventually("one index", async () => {
      const schemas = await query(
        new URL("/service", postgres.url).href,
        "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'intentry\\_%'",
      );
      return schemas.length === 1;
    });
  });

  it.skipIf(!postgresPrograms)("is backed up, and restored on another database", { timeout: 600_000 }, async () => {
    const backups = join(folder, "backups");
    mkdirSync(backups);
    const onCopy = (url: string, text: string) =>
      runBlock(onDatabase(url) + blockWith("Back up and restore", text), { cwd: backups });
    const [, databaseUrl = ""] =
      /^DATABASE_URL="(.*)"$/m.exec(readFileSync(installation.environmentFile, "utf8")) ?? [];
    await timed("Back up", async () => void (await onCopy(databaseUrl, "pg_dump")));
    const restoredUrl = await createDatabase("restored");
    const restored = { ...installation, environmentFile: join(folder, "restored.env"), stateFolder: join(folder, "r") };
    writeFileSync(restored.environmentFile, readFileSync(installation.environmentFile));
    change({ DATABASE_URL: restoredUrl }, restored);
    let port = 0;
    await timed("Restore on an empty database, and index the chain", async () => {
      await onCopy(restoredUrl, "psql");
      const [ponderPort = 0] = await freePorts(1);
      unit("intentry-indexer.service", { PONDER_PORT: String(ponderPort) }, restored);
      ({ port } = await startGateway(restored));
    });
    const { differences, compared } = await compareServers(balancer.url, `http://127.0.0.1:${port}`);
    expect(differences).toEqual([]);
    expect(compared).toBeGreaterThan(500);
    const stored = await fetch(`http://127.0.0.1:${port}/catalogs/${keccak256(stringToHex('{"rehearsal":5}'))}`);
    expect([stored.status, await stored.text()]).toEqual([200, '{"rehearsal":5}']);
  });

  it("has answered every read, at the latest when it was repeated", async () => {
    await reads?.stop();
    expect(reads?.requests).toBeGreaterThan(1_000);
    expect(reads?.problems).toEqual([]);
  });
});
