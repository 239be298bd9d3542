import { connect, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";

// A process with many subscribers of the event stream. It counts those that are connected and those that are up to date.

/** Opens subscribers from block 0. They are up to date when they have received the event with the last id. */
export type ListenJob = { port: number; subscribers: number; lastId: string; perSecond: number };

export type ListenState = { connected: number; upToDate: number; bytes: number; closed: number };

const state: ListenState = { connected: 0, upToDate: 0, bytes: 0, closed: 0 };
const sockets: Socket[] = [];

/** Opens one subscriber. Messages are not parsed, to leave the CPU to the server. */
function subscribe({ port, lastId }: ListenJob): void {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  const needle = Buffer.from(`\nid: ${lastId}\n`);
  let tail: Buffer = Buffer.alloc(0);
  let isUpToDate = false;
  socket.write("GET /events?from_block=0 HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: text/event-stream\r\n\r\n");
  socket.once("data", (data) => {
    if (data.subarray(0, 12).toString("latin1") !== "HTTP/1.1 200") throw new Error(data.toString("latin1"));
    state.connected++;
  });
  socket.on("data", (data) => {
    state.bytes += data.length;
    if (isUpToDate) return;
    // The id may be divided between two reads.
    isUpToDate = data.includes(needle) || Buffer.concat([tail, data.subarray(0, needle.length)]).includes(needle);
    tail = data.subarray(-needle.length);
    if (isUpToDate) state.upToDate++;
  });
  socket.on("error", () => {});
  socket.on("close", () => state.closed++);
  sockets.push(socket);
}

async function run(job: ListenJob): Promise<void> {
  const start = performance.now();
  for (let number = 0; number < job.subscribers; number++) {
    subscribe(job);
    const ahead = ((number + 1) * 1000) / job.perSecond - (performance.now() - start);
    if (ahead > 1) await setTimeout(ahead);
  }
}

process.on("message", (message: ListenJob | "state" | "close") => {
  if (message === "state") process.send?.(state);
  else if (message === "close") for (const socket of sockets.splice(0)) socket.destroy();
  else void run(message);
});
process.on("disconnect", () => process.exit());
