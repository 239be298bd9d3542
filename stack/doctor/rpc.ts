import { hexToNumber, numberToHex } from "viem";
import { WebSocket } from "ws";
import { z } from "zod";
import { LOCAL_CHAIN_ID, type Network } from "../../config/networks";
import { BlockHeader } from "../../rpc/block";
import { postJsonRpc } from "../../rpc/json-rpc";
import { webSocketUrl } from "../../rpc/new-heads";
import { CHECK_MS, CheckFailure, check, type Finding, failed, ok, type Result, warning } from "./check";
import { describeError } from "./describe-error";

const Quantity = z.templateLiteral(["0x", z.hex()]);

/** Sends a JSON-RPC request. */
export type Rpc = (method: string, params: readonly unknown[]) => Promise<unknown>;

export const rpcTo =
  (url: string, signal?: AbortSignal): Rpc =>
  (method, params) =>
    postJsonRpc(url, { method, params }, CHECK_MS, signal);

const readChainId = async (rpc: Rpc) => hexToNumber(Quantity.parse(await rpc("eth_chainId", [])));

/** The newest block's number and timestamp (unix seconds). */
export async function readHead(rpc: Rpc) {
  const block = BlockHeader.parse(await rpc("eth_getBlockByNumber", ["latest", false]));
  return { number: hexToNumber(block.number), timestamp: hexToNumber(block.timestamp) };
}

/** A chain counts as halted without a new block for this long and for this many block times. Same limits as /ready. */
const HALTED_SECONDS = 60;
const HALTED_BLOCKS = 20;

/** The number of blocks over which the block time is measured. */
const MEASURED_BLOCKS = 100;

type Node = { url: string; label: string; webSocketUrl: string | undefined };

/** Whether a node answers and serves the chain. The advice names the variable with its URL. */
export async function checkChainId(
  url: string,
  chainId: number,
  variable: "RPC_URL" | "X402_RPC_URL",
  signal: AbortSignal,
): Promise<Finding> {
  const { host } = new URL(url);
  const found = await readChainId(rpcTo(url, signal)).catch((error: unknown) => {
    throw new CheckFailure(
      `${host} does not answer as an RPC node (${describeError(error)}).`,
      `Check ${variable}, and that the node is running.`,
    );
  });
  return found === chainId
    ? ok(`${host} serves chain ${chainId}.`)
    : failed(
        `${host} serves chain ${found}, not ${chainId}.`,
        `Set ${variable} to a node of chain ${chainId}, or correct the chain id.`,
      );
}

async function checkHead(rpc: Rpc, chainId: number): Promise<Finding> {
  const head = await readHead(rpc);
  const ageSeconds = Math.max(0, Math.round(Date.now() / 1000 - head.timestamp));
  const newest = `The newest block, ${head.number}, is ${ageSeconds} s old`;
  if (chainId === LOCAL_CHAIN_ID) return ok(`${newest}. A local chain may pause.`);
  const first = Math.max(0, head.number - MEASURED_BLOCKS);
  const block = BlockHeader.safeParse(await rpc("eth_getBlockByNumber", [numberToHex(first), false]));
  const measured = Math.max(1, head.number - first);
  const blockSeconds = block.success ? (head.timestamp - hexToNumber(block.data.timestamp)) / measured : 0;
  return ageSeconds > Math.max(HALTED_SECONDS, HALTED_BLOCKS * blockSeconds)
    ? failed(`${newest}.`, "Use a node that is in sync with the chain, and check this machine's clock.")
    : ok(`${newest}.`);
}

/** Whether the node has the blocks, the logs and the state of the first indexed block. */
async function checkHistory(rpc: Rpc, { startBlock, contracts }: Network): Promise<Finding> {
  const at = numberToHex(startBlock);
  const advice = "Use a node with the whole history since START_BLOCK.";
  const block = await rpc("eth_getBlockByNumber", [at, false]).catch((error: unknown) => {
    throw new CheckFailure(`Block ${startBlock} (START_BLOCK) can't be read (${describeError(error)}).`, advice);
  });
  if (block === null) {
    const head = await readHead(rpc);
    return startBlock > head.number
      ? failed(`START_BLOCK is ${startBlock}, and the newest block is ${head.number}.`, "Correct START_BLOCK.")
      : failed(`The node does not have block ${startBlock} (START_BLOCK).`, advice);
  }
  await rpc("eth_getLogs", [{ fromBlock: at, toBlock: at, address: Object.values(contracts) }]).catch(
    (error: unknown) => {
      throw new CheckFailure(`The logs of block ${startBlock} can't be read (${describeError(error)}).`, advice);
    },
  );
  try {
    await rpc("eth_getCode", [contracts.IntentBook, at]);
  } catch (error) {
    return warning(
      `The node has the logs since START_BLOCK, but not the state of block ${startBlock} (${describeError(error)}).`,
      "Relayed and nested submissions need it. Use an archive node for the backfill.",
    );
  }
  return ok(`Blocks, logs and state are available from block ${startBlock}.`);
}

const SubscriptionAnswer = z.object({ id: z.number(), result: z.string() });

/** Asks a WebSocket for the chain id and a newHeads subscription. Returns the chain id. */
function subscribe(url: string, signal: AbortSignal): Promise<number> {
  const socket = new WebSocket(url, { handshakeTimeout: CHECK_MS, perMessageDeflate: false });
  const end = () => socket.terminate();
  signal.addEventListener("abort", end);
  return new Promise<number>((resolve, reject) => {
    let chainId: number | undefined;
    const send = (id: number, method: string, params: unknown[]) =>
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    socket.on("open", () => send(1, "eth_chainId", []));
    socket.on("message", (data) => {
      try {
        const { id, result } = SubscriptionAnswer.parse(JSON.parse(String(data)));
        if (id === 1) {
          chainId = hexToNumber(Quantity.parse(result));
          send(2, "eth_subscribe", ["newHeads"]);
        } else resolve(chainId ?? 0);
      } catch {
        reject(new Error("the node does not support the subscription"));
      }
    });
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("the connection was closed")));
  }).finally(end);
}

async function checkNewHeads(node: Node, chainId: number, signal: AbortSignal): Promise<Finding> {
  const url = node.webSocketUrl ?? webSocketUrl(node.url);
  const { host } = new URL(url);
  try {
    const found = await subscribe(url, signal);
    return found === chainId
      ? ok(`New blocks are received over WebSocket from ${host}.`)
      : failed(`The WebSocket at ${host} serves chain ${found}, not ${chainId}.`, "Correct RPC_WS_URL.");
  } catch (error) {
    return warning(
      `No newHeads subscription at ${host} (${describeError(error)}). The node is polled instead.`,
      "Set RPC_WS_URL if it has another address.",
    );
  }
}

/** The checks of one node. After a failed first one, the others would fail for the same reason. */
async function checksOfNode(node: Node, network: Network): Promise<Result[]> {
  const { chainId } = network;
  const first = await check(node.label, (signal) => checkChainId(node.url, chainId, "RPC_URL", signal));
  if (first.status === "failed") return [first];
  return [
    first,
    ...(await Promise.all([
      check(`${node.label}, newest block`, (signal) => checkHead(rpcTo(node.url, signal), chainId)),
      check(`${node.label}, history`, (signal) => checkHistory(rpcTo(node.url, signal), network)),
      check(`${node.label}, newHeads`, (signal) => checkNewHeads(node, chainId, signal)),
    ])),
  ];
}

/** Checks every node of the indexed chain. */
export async function checkRpc(network: Network, webSocketUrls: readonly string[]): Promise<Result[]> {
  const nodes = network.rpcUrls.map((url, index) => ({
    url,
    label: network.rpcUrls.length === 1 ? "RPC node" : `RPC node ${index + 1}`,
    webSocketUrl: webSocketUrls[index],
  }));
  return (await Promise.all(nodes.map((node) => checksOfNode(node, network)))).flat();
}

/** The first node that serves the chain. Undefined if none does, which {@link checkRpc} reports. */
export async function usableNode({ rpcUrls, chainId }: Pick<Network, "rpcUrls" | "chainId">) {
  const found = await Promise.all(
    rpcUrls.map(async (url) => ({ url, id: await readChainId(rpcTo(url)).catch(() => undefined) })),
  );
  return found.find(({ id }) => id === chainId)?.url;
}
