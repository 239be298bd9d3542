import type { Protocol } from "../../../stack/local/protocol";
import type { Random } from "../actions/random";
import type { World } from "../actions/world";
import { BidClients } from "./bids";
import { MetadataClients } from "./metadata";
import type { Round } from "./plan";
import { Publishers } from "./published";
import { Purchases } from "./purchases";
import { get } from "./requests";
import { Streams } from "./streams";
import { Writes } from "./writes";

/** Statuses of reads of rows that may exist, on a service that may be disturbed. */
const EXPECTED = [200, 404, 503];

/** The random clients of one run. */
export class Clients {
  readonly writes: Writes;
  readonly publishers: Publishers;
  readonly metadata: MetadataClients;
  readonly bids: BidClients;
  readonly purchases: Purchases;
  readonly streams: Streams;
  private readonly problems: string[] = [];
  private reads = 0;

  constructor(
    private readonly apiUrl: string,
    private readonly random: Random,
    private readonly world: World,
    protocol: Protocol,
  ) {
    this.writes = new Writes(apiUrl);
    this.publishers = new Publishers(this.writes, random);
    this.metadata = new MetadataClients(this.writes, random, world);
    this.bids = new BidClients(this.writes, random, world);
    this.purchases = new Purchases(apiUrl, random, protocol);
    this.streams = new Streams(apiUrl);
  }

  /** Sends the requests of a step, without waiting for the responses. */
  act({ writes, reads, purchases, cutStreams }: Round["steps"][number]): void {
    for (let write = 0; write < writes; write++) this.write();
    for (let read = 0; read < reads; read++) this.read();
    for (let purchase = 0; purchase < purchases; purchase++) this.purchases.buy();
    if (cutStreams) this.streams.cut();
  }

  /** Acknowledged writes that are not served, wrong payments, and responses that no client should get. */
  async problemsAt(apiUrl: string): Promise<string[]> {
    return [
      ...this.problems,
      ...this.writes.problems,
      ...(await this.publishers.lost(apiUrl)),
      ...(await this.metadata.lost(apiUrl)),
      ...(await this.bids.lost(apiUrl)),
      ...(await this.purchases.wrong()),
    ];
  }

  /** What happened, for the log. */
  summary = () => ({
    writes: this.writes.counts,
    metadata: this.metadata.count,
    bids: this.bids.count,
    reads: this.reads,
    purchases: this.purchases.counts,
    events: this.streams.counts(),
    removals: this.streams.removals(),
    reconnects: this.streams.reconnects,
  });

  private write(): void {
    const kind = this.random.below(10);
    if (kind < 3) this.publishers.publishDocument();
    else if (kind < 4) this.publishers.publishSchema();
    else if (kind < 5) this.metadata.reserve();
    else if (kind < 7) this.metadata.put();
    else if (kind < 9) this.bids.place();
    else this.bids.select();
  }

  private read(): void {
    const { random, world } = this;
    const id = 1 + random.below(Math.max(1, world.intents.length));
    const account = random.pick(world.participants);
    const path = random.pick([
      `/intents/${id}`,
      `/intents/${id}/bids`,
      "/intents?limit=5&total=true",
      "/analytics/commerce",
      "/attestations?revoked=false",
      `/accounts/${account}/policies`,
      "/quotes?settled=true",
      "/ready",
    ] as const);
    this.reads++;
    void get(this.apiUrl, path).then((answer) => {
      if (answer && !EXPECTED.includes(answer.status))
        this.problems.push(`GET ${path} returned ${answer.status}: ${JSON.stringify(answer.body)}`);
    });
  }
}
