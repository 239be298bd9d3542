import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, readlink, rm } from "node:fs/promises";
import { connect as connectTo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readLocalDeployment } from "../../config/networks";
import { actor, connect } from "../../stack/local/chain";
import type { Contracts } from "../../stack/local/deploy";
import { protocolOn } from "../../stack/local/protocol";
import { hashOf } from "../../stack/local/sample/people";
import { freePorts } from "../../stack/roles/ports";
import { FollowingClient } from "../support/event-client";
import { isBusy, npmStart } from "../support/npm-start";
import { descendantsOf, isRunning } from "../support/processes";

/** The children of the supervisor, by a pattern of their command lines. */
const PARTS = {
  indexer: /ponder start/,
  gateway: /dist\/current\/gateway/,
  chain: /anvil.*--chain-id/,
  watchdog: /stack\/supervision\/watchdog\.js/,
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

  const workers = async () => (await descendantsOf(run.pid)).filter(({ command }) => PARTS.gateway.test(command));
  // Each request has its own connection, so that both gateways serve some.
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(apiUrl + path, { ...init, headers: { "content-type": "application/json", connection: "close" } });

  /** Waits until two gateways have logged a request each. */
  const bothServe = () =>
    expect
      .poll(
        async () => {
          await ask("/intents");
          const lines = (await readFile(join(stateFolder, "ponder.log"), "utf8")).split("\n");
          const isServing = ({ pid }: { pid: number }) =>
            lines.some((line) => line.includes(`"pid":${pid},`) && line.includes('"request_id"'));
          return (await workers()).filter(isServing).length;
        },
        { timeout: 60_000 },
      )
      .toBe(2);

  it("runs API_WORKERS gateways on one port, which read each other's writes and continue when one is killed", async () => {
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

  it("serves a block on all gateways before its events, and continues streams of a killed gateway on the other", async () => {
    const STREAMS = 6;
    await bothServe();
    const agents = async (): Promise<number> => {
      const response = await ask(`/agents?owner=${actor(1).address}`);
      return ((await response.json()) as { agents: unknown[] }).agents.length;
    };
    // Each gateway has a response in its cache before the block that changes it.
    const askAll = () => Promise.all(Array.from({ length: 10 }, agents));
    expect(new Set(await askAll())).toEqual(new Set([0]));

    const readsAfterEvent: Promise<number[]>[] = [];
    const streams = Array.from({ length: STREAMS }, () => new FollowingClient(`${apiUrl}/events?from_block=0`));
    const broken = new Set<FollowingClient>();
    for (const stream of streams) {
      stream.onMessage = ({ event }) => {
        if (event === "message") readsAfterEvent.push(askAll());
        return true;
      };
      await stream.connect();
      void stream.connection?.ended.then(() => broken.add(stream));
    }
    await registerAgent("with two gateways");
    await expect.poll(() => streams.map(({ held }) => held.length)).toEqual(Array(STREAMS).fill(1));
    expect(new Set((await Promise.all(readsAfterEvent)).flat())).toEqual(new Set([1]));
    for (const stream of streams) stream.onMessage = undefined;

    const [killed] = await workers();
    process.kill(killed?.pid ?? 0, "SIGKILL");
    await expect.poll(() => broken.size).toBeGreaterThan(0);
    expect(broken.size).toBeLessThan(STREAMS);
    await registerAgent("with one gateway");
    for (const stream of broken) await stream.connect();
    await expect.poll(() => streams.map(({ held }) => held.length)).toEqual(Array(STREAMS).fill(2));
    expect(new Set(streams.map(({ held }) => held.join()))).toHaveLength(1);
    expect(streams.flatMap(({ problems }) => problems)).toEqual([]);
    for (const stream of streams) stream.cut();
  });

  /** Sends the headers of a write and a part of its body. Resolves once a gateway has read the headers. */
  const beginWrite = (text: string) =>
    new Promise<{ finish: () => Promise<string> }>((resolve) => {
      const body = JSON.stringify({ catalog_json: JSON.stringify([text]) });
      const socket = connectTo(Number(ports.API_PORT), "127.0.0.1");
      let answer = "";
      const ended = new Promise<void>((done) => socket.once("close", () => done()));
      socket.setEncoding("utf8").on("data", (data) => {
        answer += data;
        if (answer !== "HTTP/1.1 100 Continue\r\n\r\n") return;
        socket.write(body.slice(0, 10));
        resolve({
          async finish() {
            socket.write(body.slice(10));
            await ended;
            return answer;
          },
        });
      });
      const headers = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue`;
      socket.write(`POST /catalogs HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n`);
    });

  it("completes the requests of both gateways and stops in order on SIGTERM, however often it is sent", async () => {
    await bothServe();
    const writes = [];
    for (let write = 0; write < 6; write++) writes.push(await beginWrite(`write ${write}`));
    for (let signal = 0; signal < 5; signal++) process.kill(run.pid, "SIGTERM");
    await expect.poll(() => isBusy(ports.API_PORT)).toBe(false);
    for (const { finish } of writes) expect(await finish()).toContain("HTTP/1.1 201 ");
    expect(await run.ended).toBe(0);
    for (const port of Object.values(ports)) expect(await isBusy(port)).toBe(false);
  });
});
