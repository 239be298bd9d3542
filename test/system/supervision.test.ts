import { existsSync } from "node:fs";
import { mkdtemp, readdir, readlink, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readLocalDeployment } from "../../config/networks";
import { actor, connect } from "../../stack/chain";
import type { Contracts } from "../../stack/deploy";
import { freePorts } from "../../stack/ports";
import { protocolOn } from "../../stack/protocol";
import { hashOf } from "../../stack/sample/people";
import { isBusy, npmStart } from "../support/npm-start";
import { descendantsOf, isRunning } from "../support/processes";

/** The children of the supervisor, by a pattern of their command lines. */
const PARTS = {
  indexer: /dist\/indexer-\S+ start/,
  gateway: /dist\/api-server/,
  chain: /anvil.*--chain-id/,
  watchdog: /stack\/watchdog\.js/,
};

describe("the supervisor of npm start", () => {
  let stateFolder: string;
  let ports: { API_PORT: string; PONDER_PORT: string; ANVIL_PORT: string };
  let run: ReturnType<typeof npmStart>;
  let apiUrl: string;

  beforeAll(async () => {
    stateFolder = await mkdtemp(join(tmpdir(), "intentry-supervision-"));
    const [api = 0, ponder = 0, anvil = 0] = await freePorts(3);
    ports = { API_PORT: String(api), PONDER_PORT: String(ponder), ANVIL_PORT: String(anvil) };
    apiUrl = `http://127.0.0.1:${api}`;
    run = start();
    await run.printed("Ready. The gateway is on");
  });
  afterAll(async () => {
    await run?.stop();
    await rm(stateFolder, { recursive: true, force: true });
  });

  const start = (variables: Record<string, string> = {}) =>
    npmStart({ INTENTRY_DIR: stateFolder, SAMPLE_ACTIVITY: "false", ...ports, ...variables });

  const pidOf = async (part: keyof typeof PARTS) => {
    const found = (await descendantsOf(run.pid)).find(({ command }) => PARTS[part].test(command));
    if (!found) throw new Error(`The ${part} process was not found`);
    return found.pid;
  };

  const registerAgent = async (name: string) => {
    const { rpcUrl, contracts } = readLocalDeployment(stateFolder);
    const { write } = protocolOn(connect(rpcUrl), contracts as Contracts);
    await write(actor(1), "AgentRegistry", "registerAgent", [name, "0x01", hashOf(name)]);
  };
  const status = async (path: string) => (await fetch(apiUrl + path).catch(() => undefined))?.status;

  it.runIf(existsSync("/proc/self/fd"))("watches no files in the indexer", async () => {
    const folder = `/proc/${await pidOf("indexer")}/fd`;
    const open = await Promise.all(
      (await readdir(folder)).map((fd) => readlink(join(folder, fd)).catch(() => "closed")),
    );
    expect(open).not.toContain("anon_inode:inotify");
  });

  it("restarts a killed indexer while the gateway continues to respond", async () => {
    const killed = await pidOf("indexer");
    let answering = true;
    const statuses = new Set<number | undefined>();
    const asking = (async () => {
      while (answering) statuses.add(await status("/intents"));
    })();
    process.kill(killed, "SIGKILL");
    await registerAgent("while the indexer is away");
    await expect.poll(() => status("/agents/1"), { timeout: 60_000 }).toBe(200);
    answering = false;
    await asking;
    expect([...statuses]).toEqual([200]);
    expect(await pidOf("indexer")).not.toBe(killed);
    expect(run.output()).toContain("Restarting in 0.5 s.");
  });

  it("restarts a killed gateway", async () => {
    const killed = await pidOf("gateway");
    process.kill(killed, "SIGKILL");
    await expect.poll(() => isRunning(killed)).toBe(false);
    await expect.poll(() => status("/agents/1"), { timeout: 60_000 }).toBe(200);
  });

  it("leaves no process when it is killed itself, and the next start recovers", async () => {
    const pids = [run.pid, ...(await descendantsOf(run.pid)).map(({ pid }) => pid)];
    for (const part of ["indexer", "gateway", "chain", "watchdog"] as const) expect(pids).toContain(await pidOf(part));
    process.kill(run.pid, "SIGKILL");
    const survivors = async () => {
      const running = await Promise.all(pids.map(async (pid) => ((await isRunning(pid)) ? [pid] : [])));
      return running.flat();
    };
    await expect.poll(survivors, { timeout: 30_000 }).toEqual([]);
    for (const port of Object.values(ports)) expect(await isBusy(port)).toBe(false);

    run = start({ API_WORKERS: "2" });
    await run.printed("Ready. The gateway is on");
    expect(await status("/ready")).toBe(200);
  });

  it("runs API_WORKERS gateways on one port, which read each other's writes and continue when one is killed", async () => {
    const workers = async () => (await descendantsOf(run.pid)).filter(({ command }) => PARTS.gateway.test(command));
    // Each request has its own connection, so that both gateways serve some.
    const ask = (path: string, init: RequestInit = {}) =>
      fetch(apiUrl + path, { ...init, headers: { "content-type": "application/json", connection: "close" } });
    const publish = async (fields: Record<string, string>) => {
      const body = JSON.stringify({ catalog_json: '{"of":"two gateways"}', ...fields });
      return (await (await ask("/catalogs", { method: "POST", body })).json()) as { catalog_hash: string };
    };
    const { catalog_hash: hash } = await publish({});
    const fieldsSeen = async () => {
      const read = async () => {
        const record = (await (await ask(`/catalogs/${hash}/metadata`)).json()) as Record<string, unknown>;
        return `${record.merchant_id} ${record.service_id}`;
      };
      return new Set(await Promise.all(Array.from({ length: 20 }, read)));
    };
    expect(await fieldsSeen()).toEqual(new Set(["null null"]));
    await publish({ merchant_id: "1" });
    expect(await fieldsSeen()).toEqual(new Set(["1 null"]));
    await publish({ service_id: "weather" });
    expect(await fieldsSeen()).toEqual(new Set(["1 weather"]));

    const [first] = await workers();
    expect(await workers()).toHaveLength(2);
    process.kill(first?.pid ?? 0, "SIGKILL");
    await expect.poll(() => isRunning(first?.pid ?? 0)).toBe(false);
    for (let request = 0; request < 20; request++) expect((await ask("/intents")).status).toBe(200);
    await expect.poll(workers, { timeout: 60_000 }).toHaveLength(2);
  });

  it("stops in order on SIGTERM, however often it is sent", async () => {
    for (let signal = 0; signal < 5; signal++) process.kill(run.pid, "SIGTERM");
    expect(await run.ended).toBe(0);
    for (const port of Object.values(ports)) expect(await isBusy(port)).toBe(false);
  });
});
