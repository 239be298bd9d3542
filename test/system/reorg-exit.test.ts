import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addressVariable, contractNames } from "../../config/contracts";
import { REORG_BEYOND_FINALITY } from "../../config/exit-codes";
import { REINDEX_COMMAND, reorgSentence } from "../../config/reindex";
import { actor, type LocalChain, startChain } from "../../stack/local/chain";
import { deploy } from "../../stack/local/deploy";
import { protocolOn } from "../../stack/local/protocol";
import { hashOf } from "../../stack/local/sample/people";
import { freePorts } from "../../stack/roles/ports";
import { hasTerminals, npmRun, npmStart } from "../support/npm-start";

const REORG_SENTENCE = reorgSentence("custom");

const SETTLED = { timeout: 150_000, interval: 500 };

/** Not the local chain id: Ponder finalizes blocks at a depth of 30. */
const CHAIN_ID = 424_242;

describe("npm start after a reorg beyond finality", () => {
  let stateFolder: string;
  let chain: LocalChain;
  let env: Record<string, string>;
  let apiUrl: string;
  let register: (name: string) => Promise<unknown>;
  let run: ReturnType<typeof npmStart> | undefined;

  beforeAll(async () => {
    stateFolder = await mkdtemp(join(tmpdir(), "intentry-reorg-"));
    const [port = 0, api = 0, ponder = 0] = await freePorts(3);
    apiUrl = `http://127.0.0.1:${api}`;
    chain = await startChain({ port, chainId: CHAIN_ID });
    const contracts = await deploy(chain.client);
    const { write } = protocolOn(chain.client, contracts);
    register = (name) => write(actor(1), "AgentRegistry", "registerAgent", [name, "0x01", hashOf(name)]);
    env = {
      INTENTRY_DIR: stateFolder,
      CHAIN_ID: String(CHAIN_ID),
      RPC_URL: chain.rpcUrl,
      PUBLIC_BASE_URL: "https://api.example",
      START_BLOCK: "0",
      API_PORT: String(api),
      PONDER_PORT: String(ponder),
      ...Object.fromEntries(contractNames.map((name) => [addressVariable(name), contracts[name]])),
    };
  });
  afterAll(async () => {
    await run?.stop();
    await chain?.child.stop();
    await rm(stateFolder, { recursive: true, force: true });
  });

  const ready = async () => (await fetch(`${apiUrl}/ready`).catch(() => undefined))?.json();
  /** Mines, because a chain without new blocks is not ready either. */
  const minedAndReady = async () => {
    await chain.client.mine({ blocks: 1 });
    return ready();
  };
  const agent = async (id: number) => (await fetch(`${apiUrl}/agents/${id}`).catch(() => undefined))?.status;

  /** Waits until another agent is finalized, and replaces its block and all later ones. */
  const replaceFinalBlocks = async () => {
    const snapshot = await chain.client.snapshot();
    await register("lost");
    await chain.client.mine({ blocks: 100 });
    await expect.poll(minedAndReady, SETTLED).toMatchObject({ ready: true });
    await expect.poll(() => agent(2), SETTLED).toBe(200);
    await chain.client.revert({ id: snapshot });
    await chain.client.mine({ blocks: 160 });
  };

  it("responds with 503 and the reason, prints the repair command, and exits with its own code", {
    timeout: 400_000,
  }, async () => {
    run = npmStart(env);
    await register("kept");
    await replaceFinalBlocks();
    await expect
      .poll(ready, SETTLED)
      .toMatchObject({ ready: false, reasons: expect.arrayContaining([REORG_SENTENCE]) });
    expect(await run.ended).toBe(REORG_BEYOND_FINALITY);
    expect(run.output()).toContain(REORG_SENTENCE);
    expect(REORG_SENTENCE).toContain(REINDEX_COMMAND);
  });

  it("is repaired by the command, also with the embedded PostgreSQL", { timeout: 400_000 }, async () => {
    expect(await npmRun("reindex", env)).toMatch(/The cache is kept up to block \d+\./);
    run = npmStart(env);
    await expect.poll(minedAndReady, SETTLED).toMatchObject({ ready: true });
    expect(await agent(1)).toBe(200);
    expect(await agent(2)).toBe(404);
    expect(await run.stop()).toBe(0);
  });

  it.runIf(hasTerminals)("offers the repair on a terminal, and continues after it", { timeout: 400_000 }, async () => {
    run = npmStart(env, { terminal: true });
    await replaceFinalBlocks();
    await run.printed("Rebuild the index now? [y/N]");
    run.type("y\r");
    await run.printed("The index is being rebuilt");
    await expect.poll(minedAndReady, SETTLED).toMatchObject({ ready: true });
    expect(await agent(1)).toBe(200);
    expect(await agent(2)).toBe(404);
    await run.stop();
    run = undefined;
  });
});
