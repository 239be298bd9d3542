import { Agent, get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { encodeFunctionData } from "viem";
import { protocolAbis } from "../config/contracts";
import { actor, connect } from "../stack/local/chain";
import { protocolOn } from "../stack/local/protocol";
import { indexReady } from "../stack/supervision/indexer";
import { openEvents } from "../test/support/event-client";
import { startListeners } from "./listeners-of";
import { percentile, tableHeader, tableRow } from "./report";
import { type SampleStack, startSampleStack } from "./sample-stack";

/**
 * Measures how much subscribers that read the whole history delay other reads: the latency of GET /agents/{agentId} alone,
 * and while many subscribers connect with from_block=0, until all are up to date or the time is over. Fails if
 * the median is above the limit, or a subscriber does not receive everything.
 * `npm run bench listeners -- [--subscribers 1000] [--events 5000] [--per-second 500] [--seconds 200] [--limit 3]`
 */
const READERS = 4;
const PAUSE_MS = 2;
const ALONE_MS = 15_000;
const EVENTS_PER_TRANSACTION = 200;
/** More than Ponder's finality, so that the subscribers read the log and not the buffer of new events. */
const BLOCKS_AFTER = 100;

const { values: options } = parseArgs({
  options: {
    subscribers: { type: "string", default: "1000" },
    events: { type: "string", default: "5000" },
    "per-second": { type: "string", default: "500" },
    limit: { type: "string", default: "3" },
    seconds: { type: "string", default: "200" },
  },
});

/** Emits events, a few hundred per transaction. */
async function makeHistory({ deployment, index, apiUrl }: SampleStack, events: number): Promise<void> {
  const client = connect(deployment.rpcUrl);
  const { write } = protocolOn(client, deployment.contracts);
  const { PolicyModule, TestDollar } = deployment.contracts;
  for (let first = 0; first < events; first += EVENTS_PER_TRANSACTION) {
    const calls = Array.from({ length: EVENTS_PER_TRANSACTION }, (_, place) => ({
      target: PolicyModule,
      value: 0n,
      data: encodeFunctionData({
        abi: protocolAbis.PolicyModule,
        functionName: "setSpendLimit",
        args: [TestDollar, BigInt(first + place + 1)],
      }),
    }));
    await write(actor(5), "Multicall", "aggregate", [calls]);
  }
  await client.mine({ blocks: BLOCKS_AFTER });
  await indexReady(index.indexer.current(), apiUrl, await client.getBlockNumber());
}

/** The id of the last event, from a stream of the whole history that has had no event for a second. */
async function lastEventId(apiUrl: string): Promise<{ id: string; events: number }> {
  let [id, events, at] = ["", 0, Date.now()];
  const stream = await openEvents(`${apiUrl}/events?from_block=0`, {
    onMessage(message) {
      if (message.event !== "message") return true;
      [id, events, at] = [String(message.id), events + 1, Date.now()];
      return true;
    },
  });
  while (events === 0 || Date.now() - at < 1_000) await sleep(50);
  stream.cut();
  return { id, events };
}

const agent = new Agent({ keepAlive: true, maxSockets: READERS });

/** Milliseconds until the response to a GET is complete. */
const request = (url: string) =>
  new Promise<number>((resolve, reject) => {
    const start = performance.now();
    get(url, { agent }, (response) => {
      response.resume();
      response.once("end", () =>
        response.statusCode === 200
          ? resolve(performance.now() - start)
          : reject(new Error(`${url} returned ${response.statusCode}`)),
      );
    }).on("error", reject);
  });

/** Reads agents one after the other on a few connections, until told to stop. */
async function readUntil(apiUrl: string, isDone: () => boolean): Promise<number[]> {
  const durations: number[] = [];
  const read = async () => {
    while (!isDone()) {
      durations.push(await request(`${apiUrl}/agents/1`));
      await sleep(PAUSE_MS);
    }
  };
  await Promise.all(Array.from({ length: READERS }, read));
  return durations;
}

const stack = await startSampleStack((what) => console.error(what));
const listeners = await startListeners();
try {
  const { apiUrl, environment } = stack;
  const subscribers = Number(options.subscribers);
  await makeHistory(stack, Number(options.events));
  const { id: lastId, events } = await lastEventId(apiUrl);

  console.error("Measuring reads alone");
  let until = Date.now() + 3_000;
  await readUntil(apiUrl, () => Date.now() > until);
  until = Date.now() + ALONE_MS;
  const alone = await readUntil(apiUrl, () => Date.now() > until);

  console.error(`Measuring reads while ${subscribers} subscribers receive ${events} events each`);
  const start = performance.now();
  let connectedAfter = 0;
  let isDone = false;
  listeners.open({ port: environment.apiPort, subscribers, lastId, perSecond: Number(options["per-second"]) });
  const reading = readUntil(apiUrl, () => isDone);
  reading.catch(() => {}); // It is awaited below, unless the run fails before.
  let state = await listeners.state();
  const giveUp = start + Number(options.seconds) * 1000;
  while (state.upToDate + state.closed < subscribers && performance.now() < giveUp) {
    if (state.connected === subscribers) connectedAfter ||= performance.now() - start;
    await sleep(100);
    state = await listeners.state();
  }
  const seconds = (performance.now() - start) / 1000;
  isDone = true;
  const during = await reading;

  console.log(tableHeader([`GET /agents/1, ${READERS} readers`, "reads", "p50 ms", "p99 ms", "max ms"]));
  const row = (name: string, durations: number[]) =>
    tableRow([
      name,
      String(durations.length),
      ...[0.5, 0.99, 1].map((share) => percentile(durations, share).toFixed(2)),
    ]);
  console.log(row("alone", alone));
  console.log(row(`with ${subscribers} subscribers`, during));
  const ratios = [0.5, 0.99].map((share) => percentile(during, share) / percentile(alone, share));
  console.log(`Ratio of p50 ${ratios[0]?.toFixed(2)}, of p99 ${ratios[1]?.toFixed(2)}`);
  console.log(
    `All connected after ${(connectedAfter / 1000).toFixed(1)} s; ${state.upToDate} up to date and ${state.closed} disconnected after ${seconds.toFixed(1)} s, with ${events} events each, at ${(state.bytes / 2 ** 20 / seconds).toFixed(0)} MB/s`,
  );
  if (state.upToDate < subscribers || (ratios[0] ?? 0) > Number(options.limit)) process.exitCode = 1;
} finally {
  listeners.stop();
  agent.destroy();
  await stack.stop();
}
