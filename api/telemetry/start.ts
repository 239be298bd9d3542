import type { Logger } from "pino";
import { createTracer } from "./open-telemetry";
import { useTracer } from "./span";

type Options = {
  /** The URL of the collector; undefined if traces are not exported. */
  endpoint: string | undefined;
  /** The route of an operation; undefined for other requests. */
  routeOf: (operation: string) => string | undefined;
  log: Logger;
};

/** How long a stopping process waits for its last export. */
const FLUSH_MS = 2_000;

/** Exports the traces of this process, if a collector is configured. Returns a function that exports the rest and stops. */
export async function startTracing({ endpoint, ...options }: Options): Promise<() => Promise<void>> {
  if (endpoint === undefined) return async () => {};
  const tracer = await createTracer(options);
  useTracer(tracer);
  return async () => {
    useTracer(undefined);
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, FLUSH_MS);
    });
    const flushed = tracer.stop().catch((error: unknown) => {
      options.log.warn({ reason: error instanceof Error ? error.message : String(error) }, "the last traces are lost");
    });
    await Promise.race([flushed, tooLong]);
    clearTimeout(timer);
  };
}
