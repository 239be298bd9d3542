import { setTimeout } from "node:timers/promises";
import { npmStart } from "../support/npm-start";
import { killTree } from "../support/processes";

/** How soon a process manager starts a program again. */
const RESTART_MS = 300;

type Role = "indexer" | "api";

/** One role of the service under a process manager, which starts it again whenever it ends. */
export class Program {
  private run: ReturnType<typeof npmStart> | undefined;
  private output = "";
  private isStopped = false;
  private readonly running: Promise<void>;

  constructor(
    private readonly role: Role,
    private readonly env: NodeJS.ProcessEnv,
    private readonly root?: string,
  ) {
    this.running = this.keepRunning();
  }

  /** The output of all its processes. */
  log = () => this.output + (this.run?.output() ?? "");

  /** Kills the supervisor and all its processes at once, as when the machine loses power. */
  async kill(): Promise<void> {
    if (this.run) await killTree(this.run.pid);
  }

  /** Stops it gracefully, for good. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.run?.stop();
    await this.running;
  }

  private async keepRunning(): Promise<void> {
    while (!this.isStopped) {
      const run = npmStart(this.env, { script: this.role, ...(this.root && { root: this.root }) });
      this.run = run;
      await run.ended;
      this.run = undefined;
      this.output += run.output();
      await setTimeout(RESTART_MS);
    }
  }
}
