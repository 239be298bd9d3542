import { connect, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import type { Job, Result } from "./load";
import { responseReader } from "./response-reader";

// The load generator: keeps a number of connections busy with one request, and counts the responses.

/** The next number of a request that must be unique. It grows over all jobs of this process. */
let nextNumber = 1;

class Load {
  responses = 0;
  private readonly ended: Promise<void>[] = [];
  private readonly sockets: Socket[] = [];
  private isStopping = false;
  private reject: (error: Error) => void = () => {};
  readonly failed = new Promise<never>((_, reject) => {
    this.reject = reject;
  });
  /** Ends all connections, so that they do not disturb the next measurement. */
  private readonly fail = (error: Error) => {
    this.reject(error);
    this.isStopping = true;
    for (const socket of this.sockets) socket.destroy();
  };

  constructor(private readonly job: Job) {
    this.failed.catch(() => {});
    for (let index = 0; index < job.connections; index++) this.ended.push(this.keepBusy());
  }

  /** Sends the request over one connection again and again, each time after the complete response. */
  private keepBusy(): Promise<void> {
    const { port, request, numberAt } = this.job;
    const bytes = Buffer.from(request);
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    this.sockets.push(socket);
    const send = () => {
      if (numberAt !== undefined) bytes.write(String(nextNumber++).padStart(16, "0"), numberAt, "latin1");
      socket.write(bytes);
    };
    const read = responseReader((status) => {
      if (status < 200 || status > 299) return this.fail(new Error(`A response has status ${status}`));
      this.responses++;
      if (this.isStopping) socket.end();
      else send();
    });
    socket.on("connect", send);
    socket.on("data", (data) => {
      try {
        read(data);
      } catch (error) {
        this.fail(error instanceof Error ? error : new Error(String(error)));
      }
    });
    socket.on("error", this.fail);
    return new Promise((resolve) => {
      socket.on("close", () => {
        if (!this.isStopping) this.fail(new Error("The server closed a connection"));
        resolve();
      });
    });
  }

  /** Lets every connection receive its last response. */
  async stop(): Promise<void> {
    this.isStopping = true;
    await Promise.race([Promise.all(this.ended), this.failed]);
  }
}

async function run(job: Job): Promise<Result> {
  const load = new Load(job);
  await Promise.race([setTimeout(job.warmUpMs), load.failed]);
  const [before, from] = [load.responses, performance.now()];
  await Promise.race([setTimeout(job.windowMs), load.failed]);
  const [after, until] = [load.responses, performance.now()];
  await load.stop();
  return { requestsPerSecond: ((after - before) * 1000) / (until - from) };
}

process.on("message", (job: Job) => {
  run(job)
    .catch((error: unknown): Result => ({ error: String(error) }))
    .then((result) => process.send?.(result));
});
process.on("disconnect", () => process.exit());
