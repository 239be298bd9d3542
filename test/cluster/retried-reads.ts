import { setTimeout } from "node:timers/promises";

/** How long a client waits before it repeats a failed request, unless the response says it. */
const RETRY_MS = 1_000;
const TIMEOUT_MS = 20_000;

type Answer = { status: number; retryAfterMs: number };

async function read(url: string): Promise<Answer | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    await response.text();
    return { status: response.status, retryAfterMs: Number(response.headers.get("retry-after") ?? 0) * 1_000 };
  } catch {
    return undefined;
  }
}

/** Clients that read all the time, and repeat a failed request once. */
export class RetriedReads {
  requests = 0;
  failures = 0;
  /** Requests that failed twice. */
  readonly problems: string[] = [];
  private isStopped = false;
  private readonly running: Promise<void>[];

  constructor(
    private readonly url: string,
    paths: readonly string[],
    /** What happens now, for an error message. */
    private readonly phase: () => string,
  ) {
    this.running = paths.map((path) => this.keepReading(path));
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all(this.running);
  }

  private async keepReading(path: string): Promise<void> {
    while (!this.isStopped) {
      this.requests++;
      const phase = this.phase();
      const first = await read(this.url + path);
      if (first?.status !== 200) {
        this.failures++;
        await setTimeout(Math.max(first?.retryAfterMs ?? 0, RETRY_MS));
        const second = await read(this.url + path);
        if (second?.status !== 200)
          this.problems.push(
            `GET ${path} (${phase}): ${first?.status ?? "no answer"}, then ${second?.status ?? "no answer"}`,
          );
      }
      await setTimeout(50);
    }
  }
}
