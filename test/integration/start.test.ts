import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { type Address, erc20Abi, keccak256, parseUnits, stringToBytes } from "viem";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { allOperations } from "../../api/operations/index";
import { addressVariable, contractNames, protocolAbis } from "../../config/contracts";
import { baseSepolia, LocalDeployment, readLocalDeployment } from "../../config/networks";
import { actor, connect, startChain } from "../../stack/chain";
import { deploy } from "../../stack/deploy";
import { freePorts } from "../../stack/ports";
import { protocolOn } from "../../stack/protocol";
import { demoPayer, hashOf } from "../../stack/sample/people";
import { documentation, examplesIn, graphql, isBusy, npmStart, runExample } from "./npm-start";

describe("npm start", () => {
  let stateFolder: string;
  let ports: { API_PORT: string; PONDER_PORT: string; ANVIL_PORT: string };
  let running: ReturnType<typeof npmStart> | undefined;

  beforeEach(async () => {
    stateFolder = await mkdtemp(join(tmpdir(), "intentry-start-"));
    // The PostgreSQL user can enter this folder, so the data stays in it and is removed with it.
    await chmod(stateFolder, 0o755);
    const [api = 0, ponder = 0, anvil = 0] = await freePorts(3);
    ports = { API_PORT: String(api), PONDER_PORT: String(ponder), ANVIL_PORT: String(anvil) };
  });
  afterEach(async () => {
    await running?.stop();
    await rm(stateFolder, { recursive: true, force: true });
  });

  const start = (env: NodeJS.ProcessEnv = {}) => {
    running = npmStart({ INTENTRY_DIR: stateFolder, ...ports, ...env });
    return running;
  };

  const expectNothingLeft = async () => {
    for (const port of Object.values(ports)) expect(await isBusy(port)).toBe(false);
    expect(existsSync(join(stateFolder, "postgres", "postmaster.pid"))).toBe(false);
    expect(await readdir(join(stateFolder, "processes"))).toEqual([]);
  };

  /** Queries the embedded database, whose port and password are in its folder. */
  const query = async (statement: string) => {
    const data = join(stateFolder, "postgres");
    const port = (await readFile(join(data, "postmaster.pid"), "utf8")).split("\n")[3];
    const password = await readFile(join(data, "intentry.password"), "utf8");
    const client = new pg.Client({ connectionString: `postgres://intentry:${password}@127.0.0.1:${port}/intentry` });
    await client.connect();
    try {
      return (await client.query(statement)).rows;
    } finally {
      await client.end();
    }
  };

  it("starts a chain with every event, indexes it, serves the documented examples, and leaves no process after SIGTERM", async () => {
    const first = start();
    await first.printed("Ready. The gateway is on");

    const deployment = LocalDeployment.parse(JSON.parse(await readFile(join(stateFolder, "local.json"), "utf8")));
    expect(deployment).toMatchObject({
      rpcUrl: `http://127.0.0.1:${ports.ANVIL_PORT}`,
      chainId: 31337,
      apiUrl: `http://127.0.0.1:${ports.API_PORT}`,
      ponderUrl: `http://127.0.0.1:${ports.PONDER_PORT}`,
    });
    for (const name of contractNames) expect(first.output()).toContain(deployment.contracts[name]);

    const health = { status: "ok", ok: true, service: "intentry", name: "Intentry", x402DevBypass: false };
    expect(await (await fetch(`${deployment.apiUrl}/health`)).json()).toEqual(health);
    const readiness = async () => (await fetch(`${deployment.apiUrl}/ready`)).json();
    await expect.poll(readiness).toMatchObject({ ready: true, chain_id: 31337, lag_blocks: "0", reason: null });
    // A block every 2 s, so that viem's waitForTransactionReceipt resolves.
    const client = connect(deployment.rpcUrl);
    const newest = await client.getBlockNumber();
    await expect.poll(() => client.getBlockNumber()).toBeGreaterThanOrEqual(newest + 2n);
    const hash = await client.sendTransaction({ account: actor(9), to: actor(8).address, value: 1n });
    expect(await client.waitForTransactionReceipt({ hash, timeout: 30_000 })).toMatchObject({ status: "success" });
    await client.setAutomine(false);
    const stopped = await client.getBlockNumber();
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    expect(await client.getBlockNumber()).toBeLessThanOrEqual(stopped + 1n);
    await client.setAutomine(true);
    expect(await (await fetch(`${deployment.apiUrl}/nowhere`)).json()).toEqual({
      error: "No route GET /nowhere; see /docs",
    });

    const { agents, intents, eventLogs } = await graphql(
      ports.PONDER_PORT,
      "{ agents { items { agentId } } intents { items { intentId status } } eventLogs(limit: 1000) { items { contract name } } }",
    );
    expect(agents?.items).toHaveLength(4);
    const statuses = intents?.items.map(({ status }) => status);
    expect(statuses).toEqual(["FILLED", "CANCELLED", "OPEN", "FILLED", "OPEN", "OPEN"]);
    const everyEvent = contractNames.flatMap((contract) =>
      protocolAbis[contract].flatMap((item) =>
        item.type === "event" && item.name !== "EIP712DomainChanged" ? [`${contract}:${item.name}`] : [],
      ),
    );
    const happened = new Set(eventLogs?.items.map(({ contract, name }) => `${contract}:${name}`));
    expect([...happened].sort()).toEqual(everyEvent.sort());

    const text = await documentation();
    for (const { operation } of allOperations) {
      const shown = operation.route.replace("GET ", "");
      expect(text, `${operation.route} in the documentation`).toContain(`\`${shown}\``);
    }
    const examples = examplesIn(text);
    expect(examples.length).toBeGreaterThanOrEqual(20);
    for (const { command, answer } of examples) {
      const given = await runExample(command, ports);
      if (answer) expect(given, command).toEqual(answer);
      else expect(given, command).not.toHaveProperty("error");
    }

    // The printed example requests.
    const offered = [...first.output().matchAll(/^ +(curl .*)$/gm)].map(([, command = ""]) => command);
    expect(offered.length).toBeGreaterThanOrEqual(3);
    for (const command of offered) expect(await runExample(command, ports), command).not.toHaveProperty("error");
    const [page = ""] = /http:\S+\/docs/.exec(first.output()) ?? [];
    expect((await fetch(page)).headers.get("content-type")).toContain("text/html");

    // The paying command: the payer's balance decreases by the price.
    expect(first.output()).toContain("npm run pay");
    const { stdout } = await promisify(execFile)("npm", ["run", "pay"], {
      env: { ...process.env, INTENTRY_DIR: stateFolder },
    });
    expect(stdout).toMatch(
      /has 1000 test dollars\.\nTransaction 0x[0-9a-f]{64} paid for a portfolio worth \$[\d.]+\.\n.*has 999\.99 test/,
    );

    // Index and store are schemas of one embedded database.
    const schemas = await query(
      "SELECT schema_name FROM information_schema.schemata WHERE schema_name IN ('intentry_local', 'offchain') ORDER BY 1",
    );
    expect(schemas).toEqual([{ schema_name: "intentry_local" }, { schema_name: "offchain" }]);

    const rival = npmStart({ INTENTRY_DIR: stateFolder });
    expect(await rival.ended).toBe(1);
    expect(rival.output()).toMatch(
      new RegExp(
        `INTENTRY_DIR ${stateFolder} is in use by process \\d+\\. Stop it, or set INTENTRY_DIR to another folder\\.`,
      ),
    );

    const catalog = '"outlives the local chain"';
    const published = await fetch(`${deployment.apiUrl}/catalogs`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ catalog_json: catalog }),
    });
    expect(published.status).toBe(201);

    expect(await first.stop()).toBe(0);
    await expectNothingLeft();

    const second = start({ SAMPLE_ACTIVITY: "false" });
    await second.printed("Ready. The gateway is on");
    expect(await graphql(ports.PONDER_PORT, "{ agents { items { agentId } } eventLogs { items { name } } }")).toEqual({
      agents: { items: [] },
      eventLogs: { items: [] },
    });
    const kept = await fetch(`${deployment.apiUrl}/catalogs/${keccak256(stringToBytes(catalog))}`);
    expect(await kept.text()).toBe(catalog);
    const { rpcUrl, contracts } = readLocalDeployment(stateFolder);
    const dollars = { address: contracts.TestDollar as Address, abi: erc20Abi };
    const funds = await connect(rpcUrl).readContract({
      ...dollars,
      functionName: "balanceOf",
      args: [demoPayer.address],
    });
    expect(funds).toBe(parseUnits("1000", 6));

    // After kill -9 its children still run and hold the ports. The next start ends them.
    const [owner = ""] = (await readdir(join(stateFolder, "processes"))).filter((mark) => mark.startsWith("owner-"));
    process.kill(Number(owner.split("-")[1]), "SIGKILL");
    await second.ended;
    const third = start({ SAMPLE_ACTIVITY: "false" });
    await third.printed("Ready. The gateway is on");
    expect((await fetch(`${deployment.apiUrl}/catalogs/${keccak256(stringToBytes(catalog))}`)).status).toBe(200);
    expect(await third.stop()).toBe(0);
    await expectNothingLeft();
  }, 360_000);

  it("runs on base-sepolia with several RPC URLs and no local chain", async () => {
    const [port = 0] = await freePorts(1);
    const chain = await startChain({ port, chainId: baseSepolia.chainId });
    const contracts = await deploy(chain.client);
    const { write } = protocolOn(chain.client, contracts);
    await write(actor(1), "AgentRegistry", "registerAgent", ["ipfs://there", "0x01", hashOf("there")]);
    await chain.client.mine({ blocks: 5 });

    const run = start({
      NETWORK: "base-sepolia",
      RPC_URL: `${chain.rpcUrl},${chain.rpcUrl}/?second`,
      PUBLIC_BASE_URL: "https://api.example",
      START_BLOCK: "0",
      ...Object.fromEntries(contractNames.map((name) => [addressVariable(name), contracts[name]])),
    });
    await run.printed("Indexing base-sepolia");
    const readiness = async () => {
      const response = await fetch(`http://127.0.0.1:${ports.API_PORT}/ready`).catch(() => undefined);
      return response?.ok ? response.json() : undefined;
    };
    await expect.poll(readiness, { timeout: 90_000 }).toMatchObject({ ready: true, chain_id: baseSepolia.chainId });
    const agents = () => graphql(ports.PONDER_PORT, "{ agents { items { metadataUri } } }");
    await expect.poll(agents, { timeout: 30_000 }).toEqual({ agents: { items: [{ metadataUri: "ipfs://there" }] } });
    expect(await isBusy(ports.ANVIL_PORT)).toBe(false);
    expect(await run.stop()).toBe(0);
    await expectNothingLeft();
    await chain.child.stop();
  }, 180_000);

  it.each(["API_PORT", "PONDER_PORT", "ANVIL_PORT"] as const)(
    "names a busy port and %s, which changes it",
    async (variable) => {
      const server = createServer();
      await new Promise<void>((listening) => server.listen(Number(ports[variable]), "127.0.0.1", listening));
      const run = start();
      expect(await run.ended).toBe(1);
      expect(run.output()).toContain(
        `Port ${ports[variable]} is in use. Stop the process that uses it, or set ${variable} to another port.`,
      );
      server.close();
    },
  );

  it("names a missing variable", async () => {
    const run = start({ NETWORK: "base-sepolia" });
    expect(await run.ended).toBe(1);
    expect(run.output()).toContain("RPC_URL: is required when the network is base-sepolia");
    expect(run.output()).toContain("PUBLIC_BASE_URL: is required unless the chain is local");
  });
});
