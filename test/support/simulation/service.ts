import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import { addressVariable, contractNames } from "../../../config/contracts";
import { LOCAL_CHAIN_ID } from "../../../config/networks";
import type { Contracts } from "../../../stack/local/deploy";
import { npmStart } from "../npm-start";
import { descendantsOf } from "../processes";

/** The time limit for anything that must happen. Generous, because nothing depends on the machine's speed. */
export const MUST_HAPPEN_MS = 200_000;

/** Waits until the condition returns a value. Errors count as not yet. */
export async function eventually<Value>(
  what: string,
  condition: () => Promise<Value | undefined | false>,
  ms = MUST_HAPPEN_MS,
): Promise<Value> {
  const deadline = Date.now() + ms;
  let last: unknown;
  while (Date.now() < deadline) {
    try {
      const value = await condition();
      if (value !== undefined && value !== false) return value;
      last = undefined;
    } catch (error) {
      last = error;
    }
    await setTimeout(50);
  }
  // The cause of a failed fetch says whether the connection was refused, reset or timed out.
  const reason = last instanceof Error ? ` (${[last.message, last.cause].filter(Boolean).join(": ")})` : "";
  throw new Error(`Not within ${ms / 1000} s: ${what}${reason}`);
}

/** The environment of a service on an existing chain: payments on that chain, portfolios of another one. */
export const serviceEnvironment = (
  contracts: Contracts,
  { rpcUrl, portfolioRpcUrl }: { rpcUrl: string; portfolioRpcUrl: string },
): NodeJS.ProcessEnv => ({
  NODE_ENV: "test",
  LOG_LEVEL: "warn",
  CHAIN_ID: String(LOCAL_CHAIN_ID),
  RPC_URL: rpcUrl,
  START_BLOCK: "0",
  ...Object.fromEntries(contractNames.map((name) => [addressVariable(name), contracts[name]])),
  X402_ASSET: `${contracts.TestDollar},Test Dollar,1,6`,
  RPC_URL_BASE: portfolioRpcUrl,
});

/** The children of the supervisor, by a pattern of their command lines. */
const parts = { indexer: /ponder start/, gateway: /dist\/current\/gateway/ };
export type Part = "supervisor" | keyof typeof parts;

const Ready = z.object({ ready: z.boolean(), block_number: z.coerce.bigint(), unpaid_payments: z.number().nullable() });

/** Waits until the index has this block, and the service is ready. */
export const caughtUpAt = (apiUrl: string, block: bigint): Promise<z.infer<typeof Ready>> =>
  eventually(`block ${block} in the index`, async () => {
    const response = await fetch(`${apiUrl}/ready`, { signal: AbortSignal.timeout(5_000) });
    const state = Ready.parse(await response.json());
    return state.ready && state.block_number >= block && state;
  });

/** `npm start` under a process manager, which starts it again whenever it ends. */
export class Service {
  /** Why the supervisor ended without a signal from the harness. */
  readonly failures: string[] = [];
  readonly apiUrl: string;
  private run: ReturnType<typeof npmStart> | undefined;
  private output = "";
  private readonly signaled = new Set<number>();
  private isStopped = false;
  private running: Promise<void> | undefined;

  constructor(private readonly env: NodeJS.ProcessEnv & { API_PORT: string }) {
    this.apiUrl = `http://127.0.0.1:${env.API_PORT}`;
  }

  start(): void {
    this.running = this.keepRunning();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.run?.stop();
    await this.running;
  }

  /** The output of all its processes. */
  log = () => this.output + (this.run?.output() ?? "");

  /** Sends a signal to a process, once it runs. Returns its pid. */
  async signal(part: Part, signal: NodeJS.Signals): Promise<number> {
    return eventually(`a running ${part}`, async () => {
      const [pid] = await this.pidsOf(part);
      if (pid === undefined) return undefined;
      if (part === "supervisor") this.signaled.add(pid);
      process.kill(pid, signal); // Throws if it has ended meanwhile.
      return pid;
    });
  }

  caughtUp = (block: bigint) => caughtUpAt(this.apiUrl, block);

  private async pidsOf(part: Part): Promise<number[]> {
    const pid = this.run?.pid;
    if (pid === undefined) return [];
    if (part === "supervisor") return [pid];
    return (await descendantsOf(pid)).filter(({ command }) => parts[part].test(command)).map((child) => child.pid);
  }

  private async keepRunning(): Promise<void> {
    while (!this.isStopped) {
      const run = npmStart(this.env);
      this.run = run;
      const code = await run.ended;
      this.run = undefined;
      this.output += run.output();
      if (!this.isStopped && !this.signaled.has(run.pid))
        this.failures.push(`npm start ended with code ${code}: ${run.output().slice(-2_000)}`);
      await setTimeout(200);
    }
  }
}
