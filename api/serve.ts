import { setTimeout as sleep } from "node:timers/promises";
import type { Environment } from "../config/environment";
import { composeGateway } from "./compose";
import { listen, stopOnSignals } from "./http/listener";
import { openLog } from "./http/open-log";
import { TIME_LIMIT_MS } from "./http/request";
import { startMetrics } from "./telemetry/scrape";
import { startTracing } from "./telemetry/start";
import { routeOfOperation } from "./transports/route-of-operation";

export type ServedGateway = {
  /** Makes `/ready` respond 503 with this reason. */
  reportOutage: (reason: string) => void;
  /** Uses another environment for new requests, on the same address. Requests in flight are completed. */
  replace: (next: Environment) => Promise<void>;
};

/** Serves a gateway until this process gets a signal. Resolves once it accepts connections. */
export async function serveGateway(environment: Environment): Promise<ServedGateway> {
  startMetrics();
  const log = openLog(environment);
  const { tracesEndpoint: endpoint } = environment;
  const stopTracing = await startTracing({ endpoint, routeOf: routeOfOperation, log });
  let gateway = await composeGateway(environment, log);
  const app = { fetch: (request: Request, bindings: object) => gateway.app.fetch(request, bindings) };
  const listener = listen(app, { port: environment.apiPort, host: environment.apiHost }, log);
  stopOnSignals(listener, {
    begin() {
      gateway.reportOutage("The service is stopping.");
      gateway.endStreams();
    },
    async finish() {
      await gateway.close();
      await stopTracing();
    },
  });
  await listener.listening;
  return {
    reportOutage: (reason) => gateway.reportOutage(reason),
    async replace(next) {
      const old = gateway;
      gateway = await composeGateway(next, log);
      old.endStreams();
      void sleep(TIME_LIMIT_MS)
        .then(old.close)
        .catch((error: unknown) => log.warn({ err: error }, "the replaced gateway could not be closed"));
    },
  };
}
