import { z } from "zod";
import { type Environment, InvalidEnvironment, parseEnvironment } from "../config/environment";
import { CONFIGURATION_ERROR } from "../config/exit-codes";
import { composeGateway } from "./compose";
import { listen, stopOnSignals } from "./http/listener";
import { openLog } from "./http/open-log";
import { startMetrics } from "./telemetry/scrape";
import { startTracing } from "./telemetry/start";
import { routeOfOperation } from "./transports/route-of-operation";

/** Parses the environment. Prints one message per invalid variable and exits if it is not valid. */
function readEnvironment(): Environment {
  try {
    return parseEnvironment(process.env);
  } catch (error) {
    if (!(error instanceof InvalidEnvironment)) throw error;
    console.error(error.message);
    process.exit(CONFIGURATION_ERROR);
  }
}

startMetrics();
const environment = readEnvironment();
const { tracesEndpoint: endpoint } = environment;
const log = openLog(environment);
const stopTracing = await startTracing({ endpoint, routeOf: routeOfOperation, log });
const gateway = await composeGateway(environment, log);

const address = { port: environment.apiPort, host: environment.apiHost };
stopOnSignals(listen(gateway.app, address, log), {
  begin() {
    gateway.reportOutage("The service is stopping.");
    gateway.endStreams();
  },
  async finish() {
    await gateway.close();
    await stopTracing();
  },
});

const SupervisorMessage = z.object({ indexerFailure: z.string() });
process.on("message", (message) => {
  const parsed = SupervisorMessage.safeParse(message);
  if (parsed.success) gateway.reportOutage(parsed.data.indexerFailure);
});
