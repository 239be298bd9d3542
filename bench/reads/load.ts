import { fork } from "node:child_process";
import { bundle } from "../../test/support/bundle";
import type { Request } from "../../test/support/same-answers/examples";

/** One measurement: a request over a number of keep-alive connections. */
export type Job = {
  port: number;
  connections: number;
  /** The bytes of the request, as text. */
  request: string;
  /** The position of 16 digits in the request that differ each time. */
  numberAt?: number;
  warmUpMs: number;
  windowMs: number;
};

type RequestBytes = Pick<Job, "request" | "numberAt">;

export type Result = { requestsPerSecond: number } | { error: string };

const NUMBER = "0".repeat(16);
const DOCUMENT_BYTES = 2048;

/** A catalog of 2 KB with a number to replace. */
const catalog = () => {
  const empty = JSON.stringify({ number: NUMBER, text: "" });
  return JSON.stringify({ number: NUMBER, text: "x".repeat(DOCUMENT_BYTES - empty.length) });
};

/**
 * The bytes of a request, optionally to another path. Every catalog that is sent has another number, so that each is a new
 * document.
 */
export function requestBytes({ method, body, ...request }: Request, path = request.path): RequestBytes {
  const isCatalog = method === "POST" && request.path === "/catalogs";
  const content = body ? JSON.stringify(isCatalog ? { catalog_json: catalog() } : body) : "";
  const headers = [
    `${method} ${path} HTTP/1.1`,
    "host: 127.0.0.1",
    "accept: */*",
    ...(body ? ["content-type: application/json", `content-length: ${content.length}`] : []),
  ];
  const bytes = `${headers.join("\r\n")}\r\n\r\n${content}`;
  return { request: bytes, ...(isCatalog && { numberAt: bytes.indexOf(NUMBER) }) };
}

export type LoadGenerator = {
  /** Measures requests per second. Throws if any response has a status other than 2xx. */
  measure: (job: Job) => Promise<number>;
  stop: () => void;
};

/** Starts the load generator in its own process. */
export async function startLoadGenerator(): Promise<LoadGenerator> {
  const child = fork(await bundle("bench/reads/load-process.ts"), { execArgv: [] });
  const ended = new Promise<Result>((resolve) => {
    child.once("exit", () => resolve({ error: "The load generator ended" }));
  });
  return {
    async measure(job) {
      const measured = new Promise<Result>((resolve) => {
        child.once("message", (result: Result) => resolve(result));
      });
      child.send(job);
      const result = await Promise.race([measured, ended]);
      if ("error" in result) throw new Error(`${job.request.split("\r\n")[0]} on port ${job.port}: ${result.error}`);
      return result.requestsPerSecond;
    },
    stop: () => child.disconnect(),
  };
}
