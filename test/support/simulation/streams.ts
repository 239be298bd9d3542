import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { FollowingClient } from "../event-client";

/** Streams of all events, of one contract, and of one account. */
const queries = [
  "from_block=0",
  "from_block=0&contract=IntentBook",
  "from_block=0&account=0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
];

const RECONNECT_MS = 50;

/** Subscribers that reconnect with the id of their last message, as documented. */
export class Streams {
  reconnects = 0;
  readonly problems: string[] = [];
  private readonly clients: FollowingClient[];
  private isStopped = false;

  constructor(apiUrl: string) {
    this.clients = queries.map((query) => new FollowingClient(`${apiUrl}/events?${query}`, false, true));
  }

  start(): void {
    for (const client of this.clients) void this.follow(client);
  }

  /** Closes all connections. The clients reconnect. */
  cut(): void {
    for (const client of this.clients) client.cut();
  }

  stop(): void {
    this.isStopped = true;
    this.cut();
  }

  /** The number of events of each client. */
  counts = () => this.clients.map(({ held }) => held.length);

  /** The messages of each client, to explain a problem. */
  traces = () => this.clients.flatMap(({ trace }, index) => [`Stream ${queries[index]}:`, ...trace]).join("\n");

  removals = () => this.clients.reduce((sum, { removed }) => sum + removed.length, 0);

  /** Whether each client has the events of the same client of another service. */
  agreeWith = (other: Streams): boolean =>
    this.clients.every((client, index) => isDeepStrictEqual(client.held, other.clients[index]?.held));

  /** Invalid sequences of messages, and differences from the same clients of another service. */
  differences(other: Streams): string[] {
    // An event may become final before or after it is sent. Its summary shows a token's symbol once that was read.
    const comparable = ({ events }: FollowingClient) => events.map(({ finality, summary, ...event }) => event);
    return [
      ...this.problems,
      ...this.clients.flatMap((client, index) => {
        const expected = other.clients[index];
        if (!expected) return [];
        const [mine, theirs] = [comparable(client), comparable(expected)];
        const place = theirs.findIndex((event, position) => !isDeepStrictEqual(event, mine[position]));
        const isSame = place === -1 && mine.length === theirs.length;
        const first = place === -1 ? theirs.length : place;
        const difference = `${queries[index]}: event ${first} of ${theirs.length} is ${JSON.stringify(mine[first])} instead of ${JSON.stringify(theirs[first])}`;
        return [...client.problems, ...(isSame ? [] : [difference])];
      }),
    ];
  }

  private async follow(client: FollowingClient): Promise<void> {
    while (!this.isStopped) {
      try {
        await client.connect();
        await client.connection?.ended;
      } catch (error) {
        const status = (error as { status?: number }).status;
        if (status !== undefined && status !== 503) {
          this.problems.push(`The stream was rejected with ${status}: ${error}`);
          if (status === 410) return;
        }
      }
      this.reconnects++;
      await setTimeout(RECONNECT_MS);
    }
  }
}
