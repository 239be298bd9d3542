import { WebSocket } from "ws";
import { z } from "zod";
import { BlockHeader } from "./block";

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;
const HANDSHAKE_MS = 10_000;

/** How many blocks in a row the subscription may miss before it counts as broken. */
const MAX_MISSES = 2;

const Message = z.union([
  z.object({ method: z.literal("eth_subscription"), params: z.object({ result: BlockHeader }) }),
  z.object({ id: z.literal(1), result: z.string() }),
]);

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The WebSocket URL of a node that serves HTTP and WebSocket at one address, as most do. */
export const webSocketUrl = (url: string): string => url.replace(/^http/, "ws");

/**
 * Subscribes to a node's `newHeads` over WebSocket, and retries with exponential backoff. Without WebSocket or subscription
 * support, `isLive` stays false. Neither the socket nor the timer keeps the process alive.
 */
export class NewHeads {
  /** Whether the node has confirmed the subscription. */
  isLive = false;
  #socket: WebSocket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #retries = 0;
  #misses = 0;
  #isClosed = false;

  constructor(
    readonly url: string,
    readonly onHead: (header: BlockHeader) => void,
    /** Called when the subscription ends or fails. */
    readonly onEnd: () => void,
  ) {
    this.#connect();
  }

  /** Reports that polling found a block before the subscription did. The connection may be half open. */
  missed(): void {
    if (this.isLive && ++this.#misses >= MAX_MISSES) this.#socket?.terminate();
  }

  close(): void {
    this.#isClosed = true;
    this.isLive = false;
    clearTimeout(this.#timer);
    this.#socket?.terminate();
  }

  #connect(): void {
    const socket = new WebSocket(this.url, { handshakeTimeout: HANDSHAKE_MS, perMessageDeflate: false });
    this.#socket = socket;
    socket.on("upgrade", (response) => response.socket.unref());
    socket.on("open", () =>
      socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: ["newHeads"] })),
    );
    socket.on("message", (data) => this.#receive(String(data)));
    // A close event follows every error.
    socket.on("error", () => {});
    socket.on("close", () => this.#retry());
  }

  #receive(text: string): void {
    const message = Message.safeParse(parsed(text));
    // Any other message rejects the subscription, or is not JSON-RPC.
    if (!message.success) this.#socket?.terminate();
    else if ("result" in message.data) {
      this.isLive = true;
      this.#misses = 0;
    } else {
      this.#retries = 0;
      this.#misses = 0;
      this.onHead(message.data.params.result);
    }
  }

  #retry(): void {
    this.isLive = false;
    if (this.#isClosed) return;
    this.onEnd();
    const delay = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#retries++);
    this.#timer = setTimeout(() => this.#connect(), delay).unref();
  }
}
