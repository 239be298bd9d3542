import { Agent, get, type IncomingMessage } from "node:http";

/** A parsed server-sent event. */
export type WireMessage = { id: string | undefined; event: string; data: Record<string, unknown> };

type Options = {
  /** Called with every message. Return false to close the connection. */
  onMessage: (message: WireMessage) => boolean | undefined;
  lastEventId?: string | undefined;
  headers?: Record<string, string>;
};

/** An open stream of events. */
export type EventConnection = {
  response: IncomingMessage;
  /** Comments, such as heartbeats. */
  comments: string[];
  /** Resolves when either side has closed the connection. */
  ended: Promise<void>;
  /** Closes the connection. */
  cut: () => void;
};

/** Parses one message. Returns undefined for a comment or a block without data. */
function parse(block: string, comments: string[]): WireMessage | undefined {
  const fields: Record<string, string> = {};
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    if (colon === 0) comments.push(line.slice(1).trim());
    else fields[line.slice(0, colon)] = line.slice(colon + 1).trimStart();
  }
  return fields.data === undefined
    ? undefined
    : { id: fields.id, event: fields.event ?? "message", data: JSON.parse(fields.data) };
}

const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });

/** Opens an event stream on its own connection. Rejects with the body of any response except 200. */
export const openEvents = (url: string, { onMessage, lastEventId, headers = {} }: Options): Promise<EventConnection> =>
  new Promise((resolve, reject) => {
    const sent = { ...headers, ...(lastEventId !== undefined && { "last-event-id": lastEventId }) };
    const request = get(url, { agent, headers: sent }, (response) => {
      response.setEncoding("utf8");
      if (response.statusCode !== 200) {
        let body = "";
        response.on("data", (chunk) => {
          body += chunk;
        });
        response.on("end", () => reject(Object.assign(new Error(body), { status: response.statusCode })));
        return;
      }
      const comments: string[] = [];
      const ended = new Promise<void>((end) => response.once("close", end));
      let text = "";
      let open = true;
      const cut = () => {
        open = false;
        request.destroy();
      };
      response.on("error", () => {}); // A closed connection resolves `ended`.
      response.on("data", (chunk: string) => {
        text += chunk;
        for (let end = text.indexOf("\n\n"); open && end !== -1; end = text.indexOf("\n\n")) {
          const message = parse(text.slice(0, end), comments);
          text = text.slice(end + 2);
          if (message && onMessage(message) === false) cut();
        }
      });
      resolve({ response, comments, ended, cut });
    });
    request.on("error", reject);
  });

/** The last message of a stream when the service stops. */
const STOPPING = "The service is stopping. Reconnect with the last event id";

/** A client as documented: it keeps a list of events, and reconnects with the id of its last message. */
export class FollowingClient {
  /** The ids of its events, in order. */
  readonly held: string[] = [];
  readonly events: Record<string, unknown>[] = [];
  readonly removed: string[] = [];
  readonly problems: string[] = [];
  /** Every message and connection with its time, to explain a problem. */
  readonly trace: string[] = [];
  lastId: string | undefined;
  /** The last finalized block in its stream. */
  finalizedBlock = 0n;
  /** Called with every message, before the next one is processed. */
  onMessage: ((message: WireMessage) => boolean | undefined) | undefined;
  connection: EventConnection | undefined;

  constructor(
    private readonly url: string,
    /** Whether to accept removals of events before its start. */
    private readonly lenient = false,
    /** Whether the service may end the stream with a 503, as while its database is away. */
    private readonly mayBeDropped = false,
  ) {}

  async connect(): Promise<void> {
    this.trace.push(`${new Date().toISOString()} connect after ${this.lastId}`);
    this.connection = await openEvents(this.url, {
      lastEventId: this.lastId,
      onMessage: (message) => {
        this.take(message);
        return this.onMessage?.(message);
      },
    });
  }

  cut(): void {
    this.connection?.cut();
  }

  private take({ id, event, data }: WireMessage): void {
    const named = String(data.id);
    this.trace.push(`${new Date().toISOString()} ${event} ${data.id ?? JSON.stringify(data)}, id ${id}`);
    if (event === "message") {
      const last = this.held.at(-1);
      if (last !== undefined && named <= last) this.problems.push(`${named} came after ${last}`);
      this.held.push(named);
      this.events.push(data);
    } else if (event === "removed") {
      this.removed.push(named);
      if (this.held.at(-1) === named) {
        this.held.pop();
        this.events.pop();
      } else if (!this.lenient) this.problems.push(`${named} was removed, but the last is ${this.held.at(-1)}`);
    } else if (event === "ready") this.finalizedBlock = BigInt(String(data.finalized_block_number));
    else if (event === "finalized") {
      const block = BigInt(String(data.block_number));
      if (block <= this.finalizedBlock) this.problems.push(`finalized ${block} came after ${this.finalizedBlock}`);
      this.finalizedBlock = block;
    } else if (event === "dropped" && data.error !== STOPPING && !(this.mayBeDropped && data.status === 503))
      this.problems.push(JSON.stringify(data));
    if (id !== undefined) this.lastId = id;
  }
}
