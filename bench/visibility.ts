import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { protocolAbis } from "../config/contracts";
import { actor, connect } from "../stack/local/chain";
import { protocolOn } from "../stack/local/protocol";
import { hashOf } from "../stack/local/sample/people";
import { percentile } from "./report";
import { startSampleStack } from "./sample-stack";

/**
 * Measures how long a mined event takes until a read returns it: an agent is registered, its block is mined, and the agent is
 * read again and again. The time starts before the node is asked to mine, so it includes the mining.
 * `npm run bench visibility -- [--blocks 300]`
 */
const READ_INTERVAL_MS = 1;
const GIVE_UP_MS = 30_000;

const { values: options } = parseArgs({ options: { blocks: { type: "string", default: "300" } } });

const stack = await startSampleStack((what) => console.error(what));
try {
  const { deployment, apiUrl } = stack;
  const client = connect(deployment.rpcUrl);
  const { read, write } = protocolOn(client, deployment.contracts);
  const account = actor(5);
  // Ids are consecutive, and nobody else registers agents.
  await write(account, "AgentRegistry", "registerAgent", ["ipfs://agents/first", "0x04", hashOf("first")]);
  let agentId = ((await read("AgentRegistry", "getAgentsByOwner", [account.address])).at(-1) ?? 0n) + 1n;
  let nonce = await client.getTransactionCount({ address: account.address });
  await client.setAutomine(false);

  /** Milliseconds until a read returns the agent of a new block. */
  const measure = async (): Promise<number> => {
    await client.writeContract({
      account,
      abi: protocolAbis.AgentRegistry,
      address: deployment.contracts.AgentRegistry,
      functionName: "registerAgent",
      args: [`ipfs://agents/${agentId}`, "0x04", hashOf(String(agentId))],
      nonce: nonce++,
      gas: 1_000_000n,
    });
    const url = `${apiUrl}/agents/${agentId++}`;
    const from = performance.now();
    const mining = client.mine({ blocks: 1 });
    for (;;) {
      const response = await fetch(url);
      await response.arrayBuffer();
      if (response.ok) break;
      if (performance.now() - from > GIVE_UP_MS) throw new Error(`${url} is ${response.status} after ${GIVE_UP_MS} ms`);
      await sleep(READ_INTERVAL_MS);
    }
    const duration = performance.now() - from;
    await mining;
    return duration;
  };

  for (let warmUp = 0; warmUp < 20; warmUp++) await measure();
  const durations: number[] = [];
  for (let block = 0; block < Number(options.blocks); block++) {
    durations.push(await measure());
    // Blocks are not in step with any interval of the indexer.
    await sleep(Math.random() * 100);
  }
  const at = (share: number) => `${percentile(durations, share).toFixed(0)} ms`;
  console.log(
    `${durations.length} blocks, mined to readable: p50 ${at(0.5)}, p90 ${at(0.9)}, p99 ${at(0.99)}, max ${at(1)}`,
  );
} finally {
  await stack.stop();
}
