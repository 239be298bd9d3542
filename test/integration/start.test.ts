import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { contractNames, protocolAbis } from "../../config/contracts";
import { LocalDeployment } from "../../config/networks";
import { freePorts } from "../../dev/ports";

const projectRoot = resolve(import.meta.dirname, "..", "..");

/** `npm start` as a person runs it, on free ports and a folder of its own. */
describe("npm start", () => {
  let stateFolder: string;
  let ports: { API_PORT: string; PONDER_PORT: string; ANVIL_PORT: string };
  const started: ChildProcess[] = [];

  beforeEach(async () => {
    stateFolder = await mkdtemp(join(tmpdir(), "intentry-start-"));
    const [api = 0, ponder = 0, anvil = 0] = await freePorts(3);
    ports = { API_PORT: String(api), PONDER_PORT: String(ponder), ANVIL_PORT: String(anvil) };
  });
  afterEach(async () => {
    for (const child of started.splice(0)) child.kill("SIGTERM");
    await rm(stateFolder, { recursive: true, force: true });
  });

  function start(env: NodeJS.ProcessEnv = {}) {
    const { PATH, HOME } = process.env;
    const child = spawn("npm", ["start"], {
      cwd: projectRoot,
      env: { PATH, HOME, INTENTRY_DIR: stateFolder, ...ports, ...env },
    });
    started.push(child);
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    const ended = new Promise<number | null>((done) => child.once("exit", (code) => done(code)));
    return {
      ended,
      output: () => output,
      stop: () => child.kill("SIGTERM"),
      /** Resolves at the ready line; fails when it ends before. */
      ready: async () => {
        const early = ended.then(() => {
          throw new Error(`It ended:\n${output}`);
        });
        await Promise.race([
          expect.poll(() => output, { timeout: 110_000 }).toContain("Ready. The gateway is on"),
          early,
        ]);
        early.catch(() => {});
      },
    };
  }

  const graphql = async (query: string) => {
    const response = await fetch(`http://127.0.0.1:${ports.PONDER_PORT}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query }),
    });
    return ((await response.json()) as { data: Record<string, { items: Record<string, string>[] }> }).data;
  };

  const isBusy = (port: string) =>
    new Promise<boolean>((answer) => {
      const server = createServer();
      server.once("error", () => answer(true));
      server.listen(Number(port), "127.0.0.1", () => server.close(() => answer(false)));
    });

  it("makes a chain on which every event has happened, indexes it, and leaves nothing running on SIGTERM", async () => {
    const first = start();
    await first.ready();

    const deployment = LocalDeployment.parse(JSON.parse(await readFile(join(stateFolder, "local.json"), "utf8")));
    expect(deployment).toMatchObject({
      rpcUrl: `http://127.0.0.1:${ports.ANVIL_PORT}`,
      chainId: 31337,
      apiUrl: `http://127.0.0.1:${ports.API_PORT}`,
      ponderUrl: `http://127.0.0.1:${ports.PONDER_PORT}`,
    });
    for (const name of contractNames) expect(first.output()).toContain(deployment.contracts[name]);

    const health = await fetch(`${deployment.apiUrl}/health`);
    expect(await health.json()).toEqual({
      status: "ok",
      ok: true,
      service: "intentry",
      name: "Intentry",
      x402DevBypass: false,
    });
    const ready = await fetch(`${deployment.apiUrl}/ready`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toMatchObject({ ready: true, chain_id: 31337, lag_blocks: "0", reason: null });
    expect(await (await fetch(`${deployment.apiUrl}/nowhere`)).json()).toEqual({ error: "No route GET /nowhere" });

    const { agents, intents, eventLogs } = await graphql(
      "{ agents { items { agentId } } intents { items { intentId status } } eventLogs(limit: 1000) { items { contract name } } }",
    );
    expect(agents?.items).toHaveLength(4);
    expect(intents?.items.map(({ status }) => status)).toEqual([
      "FILLED",
      "CANCELLED",
      "OPEN",
      "FILLED",
      "OPEN",
      "OPEN",
    ]);
    const everyEvent = contractNames.flatMap((contract) =>
      protocolAbis[contract].flatMap((item) =>
        item.type === "event" && item.name !== "EIP712DomainChanged" ? [`${contract}:${item.name}`] : [],
      ),
    );
    const happened = new Set(eventLogs?.items.map(({ contract, name }) => `${contract}:${name}`));
    expect([...happened].sort()).toEqual(everyEvent.sort());

    first.stop();
    expect(await first.ended).toBe(0);
    for (const port of Object.values(ports)) expect(await isBusy(port)).toBe(false);

    const second = start({ SAMPLE_ACTIVITY: "false" });
    await second.ready();
    expect(await graphql("{ agents { items { agentId } } eventLogs { items { name } } }")).toEqual({
      agents: { items: [] },
      eventLogs: { items: [] },
    });
    second.stop();
    expect(await second.ended).toBe(0);
  }, 240_000);

  it.each(["API_PORT", "PONDER_PORT", "ANVIL_PORT"] as const)(
    "says which port is busy, and that %s moves it",
    async (variable) => {
      const server = createServer();
      await new Promise<void>((listening) => server.listen(Number(ports[variable]), "127.0.0.1", listening));
      const run = start();
      expect(await run.ended).toBe(1);
      expect(run.output()).toContain(
        `Port ${ports[variable]} is in use. Stop what uses it, or set ${variable} to another port.`,
      );
      server.close();
    },
  );

  it("says which variable is wrong or missing", async () => {
    const run = start({ NETWORK: "base-sepolia", API_PORT: "3001" });
    expect(await run.ended).toBe(1);
    expect(run.output()).toContain("RPC_URL: is required when the network is base-sepolia");
  });
});
