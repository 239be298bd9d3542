import { Agent, get, type IncomingMessage } from "node:http";

/** A message as it came over the wire. */
export type WireMessage = { id: string | undefined; event: string; data: Record<string, unknown> };

type Options = {
  /** Told of every message; what it returns false for is the last. */
  onMessage: (message: WireMessage) => boolean | undefined;
  lastEventId?: string | undefined;
  headers?: Record<string, string>;
};

/** An open stream of events. */
export type Listening = {
  response: IncomingMessage;
  /** Comments, such as heartbeats. */
  comments: string[];
  /** Resolves once the connection is closed, from whichever side. */
  ended: Promise<void>;
  /** Cuts the connection. */
  cut: () => void;
};

/** Reads one message; a comment, or a field that is no message, is none. */
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

/** Opens a stream of events over a connection of its own; what is not a 200 has its body as the error. */
export const openEvents = (url: string, { onMessage, lastEventId, headers = {} }: Options): Promise<Listening> =>
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
      response.on("error", () => {}); // A connection that was cut; `ended` says so.
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

/** The last message of a stream whose service is stopping. */
const STOPPING = "The service is stopping. Connect again with the last id";

/** A client as the documentation describes it: it holds a list of events, and comes back with the id of its last message. */
export class FollowingClient {
  /** The ids of the events it holds, in their order. */
  readonly held: string[] = [];
  readonly events: Record<string, unknown>[] = [];
  readonly removed: string[] = [];
  readonly problems: string[] = [];
  lastId: string | undefined;
  /** The block up to which its stream has said that all is safe. */
  safeBlock = 0n;
  /** Told of every message before the next one is looked at. */
  onMessage: ((message: WireMessage) => boolean | undefined) | undefined;
  listening: Listening | undefined;

  constructor(
    private readonly url: string,
    /** Whether removals of what it never held are to be expected: it began in the middle. */
    private readonly lenient = false,
  ) {}

  async connect(): Promise<void> {
    this.listening = await openEvents(this.url, {
      lastEventId: this.lastId,
      onMessage: (message) => {
        this.take(message);
        return this.onMessage?.(message);
      },
    });
  }

  cut(): void {
    this.listening?.cut();
  }

  private take({ id, event, data }: WireMessage): void {
    const named = String(data.id);
    if (event === "event") {
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
    } else if (event === "open") this.safeBlock = BigInt(String(data.safe_block_number));
    else if (event === "safe") {
      const block = BigInt(String(data.block_number));
      if (block <= this.safeBlock) this.problems.push(`safe ${block} came after ${this.safeBlock}`);
      this.safeBlock = block;
    } else if (event === "error" && data.error !== STOPPING) this.problems.push(JSON.stringify(data));
    if (id !== undefined) this.lastId = id;
  }
}
