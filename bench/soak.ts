import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { encodeFunctionData } from "viem";
import { protocolAbis } from "../config/contracts";
import { actor, connect } from "../stack/local/chain";
import { protocolOn } from "../stack/local/protocol";
import { hashOf } from "../stack/local/sample/people";
import { exampleRequests } from "../test/support/same-answers/examples";
import { startListeners } from "./listeners-of";
import { requestBytes, startLoadGenerator } from "./reads/load";
import { formatRate, slopeOf, tableHeader, tableRow } from "./report";
import { residentMb } from "./resident-memory";
import { type SampleStack, startSampleStack } from "./sample-stack";

/**
 * Runs the stack at the highest rate: every read, preflight and new documents in turn, pages with a URL of their own, subscribers
 * that come and go, and new blocks. Prints the resident memory of the indexer and the gateway, the gateway's live memory, and their
 * slopes after the warm-up, and their memory at rest, before and after. Fails if the gateway's live memory exceeds the limit of its response cache by more than a constant.
 * `npm run bench soak -- [--minutes 30]`
 */
const CONNECTIONS = 16;
const WINDOW_MS = 1_000;
const SUBSCRIBERS = 100;
const RESUBSCRIBE_MS = 20_000;
const BLOCK_MS = 500;
const EVENTS_PER_BLOCK = 20;
const SAMPLE_MS = 30_000;
/** How long the stack is idle before its memory at rest is read. */
const REST_MS = 15_000;
/** How often the gateway's heap is read, which is live memory and garbage. Its lowest size of some minutes is live memory. */
const HEAP_MS = 1_000;
/** The part of the run in which caches fill and code is compiled, at most five minutes. */
const WARM_UP = 1 / 3;
const MAX_WARM_UP_MS = 300_000;

/** The live memory of the gateway besides its response cache: compiled code, events for subscribers, requests in flight. */
const BESIDES_CACHE_MB = 128;

const { values: options } = parseArgs({ options: { minutes: { type: "string", default: "30" } } });
const durationMs = Number(options.minutes) * 60_000;

/** The heap and the memory of buffers of the gateway, in MB. */
async function heapMb(apiUrl: string): Promise<number> {
  const text = await (await fetch(`${apiUrl}/metrics`)).text();
  const bytesOf = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
  return (bytesOf("nodejs_heap_size_used_bytes") + bytesOf("nodejs_external_memory_bytes")) / 2 ** 20;
}

/** Reads the gateway's heap at an interval. `lowest` is the lowest size since its last call. */
function watchHeap(apiUrl: string, run: Stopping) {
  let lowestMb = Number.POSITIVE_INFINITY;
  const watch = async () => {
    for (; !run.isStopping; await sleep(HEAP_MS)) lowestMb = Math.min(lowestMb, await heapMb(apiUrl));
  };
  const lowest = () => {
    const result = lowestMb;
    lowestMb = Number.POSITIVE_INFINITY;
    return result;
  };
  return { watching: watch(), lowest };
}

type Stopping = { isStopping: boolean };

/** Mines a block with new agents and policies at an interval. Returns the number of blocks. */
async function mineBlocks({ deployment }: SampleStack, run: Stopping): Promise<number> {
  const { AgentRegistry, PolicyModule, TestDollar } = deployment.contracts;
  const { write } = protocolOn(connect(deployment.rpcUrl), deployment.contracts);
  let blocks = 0;
  for (; !run.isStopping; blocks++) {
    const calls = Array.from({ length: EVENTS_PER_BLOCK }, (_, place) => ({
      target: PolicyModule,
      value: 0n,
      data: encodeFunctionData({
        abi: protocolAbis.PolicyModule,
        functionName: "setSpendLimit",
        args: [TestDollar, BigInt(blocks * EVENTS_PER_BLOCK + place)],
      }),
    }));
    const data = encodeFunctionData({
      abi: protocolAbis.AgentRegistry,
      functionName: "registerAgent",
      args: [`ipfs://soak/${blocks}`, "0x04", hashOf(String(blocks))],
    });
    await write(actor(5), "Multicall", "aggregate", [[...calls, { target: AgentRegistry, value: 0n, data }]]);
    await sleep(BLOCK_MS);
  }
  return blocks;
}

/** Keeps all connections busy with each request in turn. Returns the number of requests. */
async function sendRequests({ apiUrl, environment }: SampleStack, run: Stopping): Promise<number> {
  const load = await startLoadGenerator();
  try {
    const examples = await exampleRequests(apiUrl);
    let requests = 0;
    for (let next = 0; !run.isStopping; next++) {
      const example = examples[next % examples.length];
      if (!example) break;
      const job = { port: environment.apiPort, connections: CONNECTIONS, warmUpMs: 0, windowMs: WINDOW_MS };
      requests += ((await load.measure({ ...job, ...requestBytes(example.request) })) * WINDOW_MS) / 1000;
    }
    return requests;
  } finally {
    load.stop();
  }
}

/** Reads pages in turn, each with another input and spelling of its URL, so that responses are replaced and evicted. */
async function readOtherPages({ apiUrl }: SampleStack, run: Stopping): Promise<void> {
  for (let page = 0; !run.isStopping; page++) {
    const limit = `limit=${1 + (page % 100)}`;
    const offset = `offset=${Math.floor(page / 100) % 1_000}`;
    const path = `/agents?owner=${actor(5).address}&${(page % 2 === 0 ? [limit, offset] : [offset, limit]).join("&")}`;
    const response = await fetch(apiUrl + path);
    if (!response.ok) throw new Error(`${path} returned ${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
  }
}

/** Keeps subscribers open that read the whole history, and replaces them at an interval. Returns the bytes received. */
async function subscribe({ environment }: SampleStack, run: Stopping): Promise<number> {
  const listeners = await startListeners();
  try {
    while (!run.isStopping) {
      // No subscriber is up to date for good: there are always new blocks.
      const job = { port: environment.apiPort, subscribers: SUBSCRIBERS, lastId: "none", perSecond: SUBSCRIBERS };
      listeners.open(job);
      for (const until = Date.now() + RESUBSCRIBE_MS; Date.now() < until && !run.isStopping; ) await sleep(200);
      listeners.close();
    }
    return (await listeners.state()).bytes;
  } finally {
    listeners.stop();
  }
}

const stack = await startSampleStack((what) => console.error(what));
try {
  await sleep(REST_MS);
  const atRest = residentMb(stack);
  const run: Stopping = { isStopping: false };
  const start = Date.now();
  const elapsedHours = () => (Date.now() - start) / 3_600_000;
  const heap = watchHeap(stack.apiUrl, run);
  const work = Promise.all([
    mineBlocks(stack, run),
    sendRequests(stack, run),
    subscribe(stack, run),
    readOtherPages(stack, run),
    heap.watching,
  ]);
  const samples: { hours: number; indexer: number; gateway: number; live: number }[] = [];
  console.log(tableHeader(["Minute", "Indexer, MB", "Gateway, MB", "Gateway's heap and buffers, lowest, MB"]));
  const sample = () => {
    const { indexer, gateway } = residentMb(stack);
    const live = heap.lowest();
    samples.push({ hours: elapsedHours(), indexer, gateway, live });
    const minute = ((Date.now() - start) / 60_000).toFixed(1);
    console.log(tableRow([minute, indexer.toFixed(0), gateway.toFixed(0), live.toFixed(0)]));
  };
  const sampling = setInterval(sample, SAMPLE_MS);
  // An error of any part ends the run.
  await Promise.race([sleep(durationMs), work]);
  clearInterval(sampling);
  sample();
  run.isStopping = true;
  const [blocks, requests, bytes] = await work;
  await sleep(REST_MS);
  const after = residentMb(stack);

  const warmUpHours = Math.min(durationMs * WARM_UP, MAX_WARM_UP_MS) / 3_600_000;
  const settled = samples.filter(({ hours }) => hours >= warmUpHours);
  const slope = (name: "indexer" | "gateway" | "live") =>
    `${slopeOf(settled.map((one) => [one.hours, one[name]])).toFixed(1)} MB/hour`;
  console.log(
    `${formatRate(requests)} requests, ${blocks} blocks, ${formatRate(bytes / 2 ** 20)} MB of events to subscribers`,
  );
  console.log(
    `Slope after the first ${(warmUpHours * 60).toFixed(1)} min, of ${settled.length} samples: indexer ${slope("indexer")}, gateway ${slope("gateway")}, its heap and buffers ${slope("live")}`,
  );
  console.log(tableHeader(["Process", "At rest", "Highest under load", "After"]));
  for (const name of ["indexer", "gateway"] as const) {
    const highest = Math.max(...samples.map((one) => one[name]));
    console.log(tableRow([name, ...[atRest[name], highest, after[name]].map((mb) => `${mb.toFixed(0)} MB`)]));
  }
  const limitMb = stack.environment.responseCacheBytes / 2 ** 20 + BESIDES_CACHE_MB;
  const mostMb = Math.max(...settled.map(({ live }) => live));
  if (mostMb > limitMb) {
    console.error(`The gateway's heap and buffers reached ${mostMb.toFixed(0)} MB; the limit is ${limitMb} MB`);
    process.exitCode = 1;
  }
} finally {
  await stack.stop();
}
