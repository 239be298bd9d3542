import {
  type Abi,
  type Address,
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  maxUint256,
  numberToHex,
  pad,
  parseAbiParameters,
  size,
  toEventSelector,
  toFunctionSelector,
  zeroAddress,
  zeroHash,
} from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commerceRegistryAbi, solverRegistryAbi } from "../../abis/index";
import { protocolAbis } from "../../config/contracts";
import { actor, mined } from "../../stack/local/chain";
import { startRpcProxy } from "../support/rpc-proxy";
import { type Installation, KEY, serve, startInstallation } from "./doctor-installation";

/** A solver as a struct without the counters. */
const otherSolver = encodeAbiParameters(
  parseAbiParameters("(address operator, string metadataURI, bytes32 capabilitiesHash, uint256 bond, bool active)"),
  [{ operator: `0x${"ab".repeat(20)}`, metadataURI: "ipfs://a", capabilitiesHash: zeroHash, bond: 1n, active: true }],
);

/** The code of a contract with all selectors of an ABI, which returns data from one function and reverts for the others. */
function returningFor(name: string, abi: Abi, data: Hex): Hex {
  const selectors = abi.flatMap((item) => {
    if (item.type === "event") return [{ name: item.name, value: toEventSelector(item) }];
    return item.type === "function" ? [{ name: item.name, value: toFunctionSelector(item) }] : [];
  });
  const push = (value: Hex) => concat([numberToHex(0x5f + size(value)), value]);
  const push2 = (value: number) => push(numberToHex(value, { size: 2 }));
  const selector = selectors.find((one) => one.name === name)?.value ?? "0x";
  // PUSH each constant and POP it.
  const constants = concat(selectors.map(({ value }) => concat([push(value), "0x50"])));
  // SHR(224, CALLDATALOAD(0)), EQ, JUMPI to the JUMPDEST after REVERT(0, 0).
  const start = concat([constants, push("0x00"), "0x35", push("0xe0"), "0x1c", push(selector), "0x14"]);
  const target = size(start) + 4 + 5;
  const revert = concat([push2(target), "0x57", push("0x00"), push("0x00"), "0xfd"]);
  // CODECOPY(0, offset, size), RETURN(0, size).
  const offset = target + 14;
  const copy = concat([push2(size(data)), push2(offset), push("0x00"), "0x39", push2(size(data)), "0x5f", "0xf3"]);
  return concat([start, revert, "0x5b", copy, data]);
}

describe("intentry doctor and the chain", () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await startInstallation();
  });
  afterAll(() => installation?.stop());

  const problems: Installation["problems"] = (change) => installation.problems(change);

  describe("reports an RPC node", () => {
    it("of another chain", async () => {
      const [rpc, contractsOfOther] = await problems({ CHAIN_ID: "8453", X402_NETWORK: "eip155:31337" });
      expect(rpc).toEqual({
        name: "RPC node",
        status: "failed",
        message: `${new URL(installation.chain.rpcUrl).host} serves chain 31337, not 8453.`,
        advice: "Set RPC_URL to a node of chain 8453, or correct the chain id.",
      });
      expect(contractsOfOther).toMatchObject({ name: "contracts", status: "warning" });
    });

    it("that refuses connections, and uses the other one", async () => {
      const refusing = `http://127.0.0.1:${installation.refusingPort}/${KEY}`;
      expect(
        await problems({
          RPC_URL: `${refusing},${installation.chain.rpcUrl}`,
          X402_RPC_URL: installation.chain.rpcUrl,
        }),
      ).toEqual([
        {
          name: "RPC node 1",
          status: "failed",
          message: `127.0.0.1:${installation.refusingPort} does not answer as an RPC node (connect ECONNREFUSED 127.0.0.1:${installation.refusingPort}).`,
          advice: "Check RPC_URL, and that the node is running.",
        },
      ]);
    });

    it("without WebSocket, as a warning", async () => {
      const found = await problems({ RPC_WS_URL: `ws://127.0.0.1:${installation.refusingPort}/${KEY}` });
      expect(found).toEqual([expect.objectContaining({ name: "RPC node, newHeads", status: "warning" })]);
    });

    it("that does not have START_BLOCK yet", async () => {
      const found = await problems({ START_BLOCK: "1000000" });
      expect(found).toContainEqual(
        expect.objectContaining({ name: "RPC node, history", status: "failed", advice: "Correct START_BLOCK." }),
      );
    });

    it("without the state of START_BLOCK, as a warning", async () => {
      const node = await startRpcProxy(installation.chain.rpcUrl, { webSocket: true });
      node.decide(({ method, params }) => (method === "eth_getCode" && params[1] === "0x0" ? "refuse" : "pass"));
      expect(await problems({ RPC_URL: node.url, X402_RPC_URL: installation.chain.rpcUrl })).toEqual([
        {
          name: "RPC node, history",
          status: "warning",
          message:
            "The node has the logs since START_BLOCK, but not the state of block 0 (JSON-RPC error -32005: too much asked).",
          advice: "Relayed and nested submissions need it. Use an archive node for the backfill.",
        },
      ]);
      await node.close();
    });

    it("whose newest block is too old", async () => {
      const timestamp = `0x${Math.floor(Date.now() / 1000 - 7_200).toString(16)}`;
      const stopped = await serve(async (request, response) => {
        if (request.method !== "POST") return response.writeHead(405).end();
        let text = "";
        for await (const chunk of request) text += chunk;
        const { id, method } = JSON.parse(text);
        const result = method === "eth_chainId" ? "0x2105" : { number: "0x64", hash: "0x", timestamp };
        response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
      });
      const found = await problems({ CHAIN_ID: "8453", RPC_URL: stopped.url, X402_NETWORK: "eip155:31337" });
      expect(found).toContainEqual({
        name: "RPC node, newest block",
        status: "failed",
        message: expect.stringMatching(/^The newest block, 100, is 72\d\d s old\.$/),
        advice: "Use a node that is in sync with the chain, and check this machine's clock.",
      });
      stopped.close();
    });

    it("that does not answer in time, within the limit of a check", async () => {
      const silent = await serve(() => {});
      const before = Date.now();
      const found = await problems({ RPC_URL: silent.url, X402_RPC_URL: installation.chain.rpcUrl });
      expect(Date.now() - before).toBeLessThan(12_000);
      expect(found[0]).toMatchObject({ name: "RPC node", status: "failed" });
      silent.close();
    });

    it("that repeats a secret in its error, without the secret", async () => {
      const rejecting = await serve((_, response) => {
        const error = { code: -32000, message: `project ${KEY} is over its limit` };
        response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, error }));
      });
      const found = await problems({ RPC_URL: `${rejecting.url}/v2/${KEY}`, X402_RPC_URL: installation.chain.rpcUrl });
      expect(found[0]?.message).toContain("JSON-RPC error -32000: project *** is over its limit");
      rejecting.close();
    });
  });

  describe("reports a contract", () => {
    it("without code", async () => {
      const address = `0x${"de".repeat(20)}`;
      expect(await problems({ AGENT_REGISTRY_ADDRESS: address })).toEqual([
        {
          name: "contract AgentRegistry",
          status: "failed",
          message: `${address} has no code on chain 31337.`,
          advice: "Check AGENT_REGISTRY_ADDRESS.",
        },
      ]);
    });

    it("with another ABI, and what it lacks", async () => {
      const [found, ...others] = await problems({ SOLVER_REGISTRY_ADDRESS: installation.contracts.AgentRegistry });
      expect(others).toEqual([]);
      expect(found).toMatchObject({ name: "contract SolverRegistry", status: "failed" });
      expect(found?.message).toMatch(/ is another contract: it lacks addBond, registerSolver, .* and 2 more\.$/);
    });

    it("whose getter returns another struct, with the getter's name", async () => {
      const { SolverRegistry } = installation.contracts;
      const client = installation.chain.client;
      const code = await client.getCode({ address: SolverRegistry });
      const bytecode = returningFor("getSolver", protocolAbis.SolverRegistry, otherSolver);
      await client.setCode({ address: SolverRegistry, bytecode });
      expect(await problems({})).toEqual([
        {
          name: "contract SolverRegistry",
          status: "failed",
          message: `${SolverRegistry} is another contract: it returns other types from getSolver.`,
          advice: "Check SOLVER_REGISTRY_ADDRESS.",
        },
      ]);
      await client.setCode({ address: SolverRegistry, bytecode: code ?? "0x" });
    });

    it("with rows as its own, also with text that is not valid UTF-8", async () => {
      const { SolverRegistry, CommerceRegistry } = installation.contracts;
      const client = installation.chain.client;
      const call = encodeFunctionData({
        abi: solverRegistryAbi,
        functionName: "registerSolver",
        args: ["~~~~", zeroHash],
      });
      const send = { account: actor(1), to: SolverRegistry } as const;
      await mined(
        client,
        client.sendTransaction({ ...send, data: `0x${call.slice(2).replace("7e7e7e7e", "ff00c328")}` }),
      );
      const write = { account: actor(1), abi: commerceRegistryAbi, address: CommerceRegistry } as const;
      const [agent, token, text] = [actor(1).address, zeroAddress, ""] as const;
      await mined(
        client,
        client.writeContract({ ...write, functionName: "registerMerchant", args: [agent, text, zeroHash] }),
      );
      const service = [1n, text, text, zeroHash, zeroHash] as const;
      await mined(client, client.writeContract({ ...write, functionName: "registerService", args: service }));
      const quote = {
        ...{ merchantId: 1n, serviceNumericId: 1n, agent, token, facilitator: token, amount: 1n, paymentRail: 0 },
        ...{ expiresAt: maxUint256, paymentNonce: 1n },
        ...{ resourceHash: zeroHash, termsHash: zeroHash, x402PayloadHash: zeroHash },
      };
      const { result } = await client.simulateContract({ ...write, functionName: "commitQuote", args: [quote] });
      await mined(client, client.writeContract({ ...write, functionName: "commitQuote", args: [quote] }));
      await mined(client, client.writeContract({ ...write, functionName: "recordReceipt", args: [result, zeroHash] }));
      expect(await problems({})).toEqual([]);
    });

    it("that existed before START_BLOCK, as a warning", async () => {
      const found = await problems({ START_BLOCK: String(await installation.chain.client.getBlockNumber()) });
      expect(found.length).toBeGreaterThan(3);
      expect(found[0]).toMatchObject({ status: "warning", advice: "Set START_BLOCK to the block of the deployment." });
    });

    it("behind a proxy by its implementation", async () => {
      const proxy: Address = `0x${"ab".repeat(20)}`;
      const slot = "360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
      const point = (implementation: Address) =>
        installation.chain.client.setStorageAt({
          address: proxy,
          index: `0x${slot}`,
          value: pad(implementation),
        });
      // It delegates every call to the implementation in the slot of EIP-1967, and returns or reverts with its result.
      const bytecode = `0x365f5f375f5f365f7f${slot}545af43d5f5f3e6036573d5ffd5b3d5ff3` as const;
      await installation.chain.client.setCode({ address: proxy, bytecode });
      await point(installation.contracts.IntentBook);
      const found = await installation.results({ INTENT_BOOK_ADDRESS: proxy });
      const result = found.find(({ name }) => name === "contract IntentBook");
      expect(result?.status).toBe("ok");
      expect(result?.message).toBe(
        `${proxy} (a proxy of ${installation.contracts.IntentBook.toLowerCase()}) has all functions and events.`,
      );
      await point(installation.contracts.TestDollar);
      expect(await problems({ INTENT_BOOK_ADDRESS: proxy })).toMatchObject([
        { name: "contract IntentBook", status: "failed" },
      ]);
    });
  });

  it("warns when this machine's clock is behind the chain", async () => {
    const { timestamp } = await installation.chain.client.getBlock();
    await installation.chain.client.setNextBlockTimestamp({ timestamp: timestamp + 3_600n });
    await installation.chain.client.mine({ blocks: 1 });
    const found = await problems({});
    expect(found).toContainEqual(expect.objectContaining({ name: "chain clock", status: "warning" }));
  });
});
