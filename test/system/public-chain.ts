import { z } from "zod";
import { localFacilitator } from "../../api/payments/facilitators/local";
import { chains } from "../../config/chains";
import { baseSepolia } from "../../config/networks";
import { actor, mined, mineEvery, startChain } from "../../stack/local/chain";
import { protocolOn } from "../../stack/local/protocol";
import { SAMPLE_HISTORY_SECONDS, sampleActivity } from "../../stack/local/sample/index";
import { freePorts } from "../../stack/roles/ports";
import { createTestDatabase } from "../support/database";
import { indexOf } from "../support/index-of";
import { placeProtocol, placeUsdc } from "../support/placed-contracts";
import type { Stack } from "../support/stack";
import { startFacilitatorServer } from "../support/x402/facilitator-server";

/** Blocks before the deployment. The indexer reads its finalized block, which must exist. */
const EARLIER_BLOCKS = 300;

const network = `eip155:${baseSepolia.chainId}` as const;

export const payee = actor(18).address;

/** Starts a chain that serves portfolios as `base`, with its Multicall3 and without tokens. */
async function startPortfolioChain(port: number) {
  const chain = await startChain({ port, chainId: chains.base.chainId });
  const constants = new URL("../../node_modules/viem/_esm/constants/contracts.js", import.meta.url).href;
  const { multicall3Bytecode: bytecode } = z
    .object({ multicall3Bytecode: z.templateLiteral(["0x", z.string()]) })
    .parse({ ...(await import(constants)) });
  const deploying = chain.client.deployContract({ account: actor(0), abi: [], bytecode });
  const { contractAddress } = await mined(chain.client, deploying);
  const code = contractAddress && (await chain.client.getCode({ address: contractAddress }));
  await chain.client.setCode({ address: chains.base.multicall3, bytecode: code ?? "0x" });
  return chain;
}

/**
 * The service of `NETWORK=base-sepolia` on a chain of this machine: base-sepolia's chain id, block numbers and addresses, with
 * our bytecode, the sample activity and a facilitator behind HTTP.
 */
export async function startPublicNetwork() {
  const stops: (() => unknown)[] = [];
  const [port = 0, portfolioPort = 0, apiPort = 0] = await freePorts(3);
  const startTime = Math.floor(Date.now() / 1000) - SAMPLE_HISTORY_SECONDS - EARLIER_BLOCKS;
  const firstBlock = baseSepolia.startBlock - EARLIER_BLOCKS;
  const chain = await startChain({ port, chainId: baseSepolia.chainId, firstBlock, startTime });
  stops.push(chain.child.stop);
  const { client, rpcUrl } = chain;
  await client.mine({ blocks: EARLIER_BLOCKS - 1, interval: 1 });
  const contracts = {
    ...(await placeProtocol(client, baseSepolia.contracts)),
    TestDollar: await placeUsdc(client, network),
  };
  const protocol = protocolOn(client, contracts);
  const apiUrl = `http://127.0.0.1:${apiPort}`;
  await sampleActivity(protocol, apiUrl, () => {});
  const mining = mineEvery(client, 1_000);
  stops.push(mining.stop);
  const portfolioChain = await startPortfolioChain(portfolioPort);
  stops.push(portfolioChain.child.stop);
  const facilitator = await startFacilitatorServer(localFacilitator(rpcUrl, network));
  stops.push(facilitator.stop);
  const database = await createTestDatabase("public_network");
  stops.push(database.drop);
  const index = await indexOf(chain, contracts, {
    NETWORK: "base-sepolia",
    RPC_URL: rpcUrl,
    // The first block of every contract here. On the public network, contracts can be later than others.
    START_BLOCK: String(baseSepolia.startBlock),
    PUBLIC_BASE_URL: apiUrl,
    API_PORT: String(apiPort),
    DATABASE_URL: database.url,
    RPC_URL_BASE: portfolioChain.rpcUrl,
    X402_PAY_TO: payee,
    X402_FACILITATOR_URL: facilitator.url,
    // The examples include the development helpers, and metadata without a signature.
    ...{ DEV_HELPERS: "true", METADATA_AUTH: "open", ALLOW_DEV_ON_PUBLIC_CHAIN: "true" },
  });
  stops.push(index.removeIndex);
  const stop = async () => {
    for (const each of stops.reverse()) await each();
  };
  try {
    await index.startIndexer();
  } catch (error) {
    await stop();
    throw error;
  }
  const stack: Stack = { ...protocol, ...index, chain, databaseUrl: database.url, tokens: undefined, stop };
  return stack;
}
