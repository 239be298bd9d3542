import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { addressVariable, contractNames } from "../../config/contracts";
import { CONFIGURATION_ERROR } from "../../config/exit-codes";
import { baseSepolia } from "../../config/networks";
import { actor, startChain } from "../../stack/local/chain";
import { deploy } from "../../stack/local/deploy";
import { protocolOn } from "../../stack/local/protocol";
import { hashOf } from "../../stack/local/sample/people";
import { freePorts } from "../../stack/roles/ports";
import { graphql, isBusy } from "../support/npm-start";
import { useStateFolder } from "../support/state-folder";

describe("the settings of npm start", () => {
  const { start, ports: freshPorts, expectNothingLeft } = useStateFolder();

  it("runs on base-sepolia with several RPC URLs and no local chain", async () => {
    const ports = freshPorts();
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
    await run.printed("The index has caught up");
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
      const ports = freshPorts();
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

  it("names a missing variable, and exits with the code of a configuration error", async () => {
    const run = start({ NETWORK: "base-sepolia" });
    expect(await run.ended).toBe(CONFIGURATION_ERROR);
    expect(run.output()).toContain("RPC_URL: is required when the network is base-sepolia");
    expect(run.output()).toContain("PUBLIC_BASE_URL: is required unless the chain is local");
  });
});
