import { type DestinationStream, type Logger, pino } from "pino";
import type { Environment } from "../../config/environment";
import { requestIdField } from "../telemetry/request-id";
import { traceIdField } from "../telemetry/span";

/** Standard output, written when there are 8 KiB of lines, ten times per second, and at the end of the process. */
const batchedOutput = () => pino.destination({ dest: 1, sync: false, minLength: 8_192, periodicFlush: 100 });

/** Opens the log of a process. The lines of a request have its id, and the id of its trace if there is a collector. */
export function openLog(
  { logLevel: level, tracesEndpoint }: Pick<Environment, "logLevel" | "tracesEndpoint">,
  output: DestinationStream = batchedOutput(),
): Logger {
  const mixin = tracesEndpoint === undefined ? requestIdField : () => ({ ...requestIdField(), ...traceIdField() });
  return pino({ level, mixin }, output);
}
