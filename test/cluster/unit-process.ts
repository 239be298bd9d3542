import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseEnv } from "node:util";
import { settingsOf } from "../deploy/units";
import { killTree, loginEnvironment } from "../support/processes";

export type Installation = {
  /** In place of /opt/intentry. */
  root: string;
  /** In place of /etc/intentry/intentry.env. It is read at each start. */
  environmentFile: string;
  /** In place of /var/lib. */
  stateFolder: string;
};

/** A unit of deploy/systemd, run without systemd: with its environment, command and restarts. */
export class UnitProcess {
  /** Whether it has ended, and is not started again. */
  hasEnded = false;
  private child: ChildProcess | undefined;
  private output = "";
  private isStopped = true;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly unit: string,
    private readonly installation: Installation,
    /** Variables of a drop-in file. */
    private readonly overrides: NodeJS.ProcessEnv = {},
    private readonly instance = "",
  ) {}

  /** Throws if it has ended, with the end of its output. */
  check(): void {
    if (this.hasEnded) throw new Error(`${this.unit} has ended: ${this.output.slice(-2_000)}`);
  }

  start(): void {
    this.isStopped = false;
    this.hasEnded = false;
    this.running = this.keepRunning().finally(() => {
      this.hasEnded = true;
    });
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.child?.kill("SIGTERM");
    await this.running;
  }

  async restart(): Promise<void> {
    await this.stop();
    this.start();
  }

  /** Kills all its processes. It starts again, as after any failure. */
  async kill(): Promise<void> {
    if (this.child?.pid !== undefined) await killTree(this.child.pid);
  }

  private async keepRunning(): Promise<void> {
    const { Restart, RestartSec, RestartPreventExitStatus = "" } = this.settings();
    while (!this.isStopped) {
      const code = await this.runOnce();
      if (this.isStopped || Restart !== "on-failure" || code === 0) return;
      if (RestartPreventExitStatus.split(" ").includes(String(code))) return;
      await setTimeout(Number(RestartSec) * 1_000);
    }
  }

  private async runOnce(): Promise<number | null> {
    const { Environment = "", StateDirectory = "", ExecStart = "" } = this.settings();
    const { root, environmentFile, stateFolder } = this.installation;
    mkdirSync(join(stateFolder, StateDirectory), { recursive: true });
    const own = Object.fromEntries(Environment.split(" ").map((pair) => pair.split("=", 2)));
    const env = {
      ...loginEnvironment(),
      ...own,
      ...parseEnv(readFileSync(environmentFile, "utf8")),
      ...this.overrides,
    };
    const [program = "", ...args] = ExecStart.split(" ");
    const child = spawn(program, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
    this.child = child;
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (data: Buffer) => {
        this.output += data;
      });
    const [code] = await once(child, "exit");
    return code;
  }

  private settings(): Record<string, string> {
    const specifiers: Record<string, string> = { "%i": this.instance, "%S": this.installation.stateFolder };
    return Object.fromEntries(
      Object.entries(settingsOf(this.unit)).map(([name, value]) => [
        name,
        value.replaceAll(/%[iS]/g, (specifier) => specifiers[specifier] ?? specifier),
      ]),
    );
  }
}
