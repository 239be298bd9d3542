import { pino } from "pino";
import { z } from "zod";
import { type Environment, InvalidEnvironment, parseEnvironment } from "../config/environment";
import { CONFIGURATION_ERROR } from "../config/exit-codes";
import { composeGateway } from "./compose";
import { batchedOutput } from "./http/batched-output";
import { listen, stopOnSignals } from "./http/listener";

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

const environment = readEnvironment();
const log = pino({ level: environment.logLevel }, batchedOutput());
const gateway = await composeGateway(environment, log);

const address = { port: environment.apiPort, host: environment.apiHost };
stopOnSignals(listen(gateway.app, address, log, gateway.serveDirectly), {
  begin() {
    gateway.reportOutage("The service is stopping.");
    gateway.endStreams();
  },
  finish: gateway.close,
});

const SupervisorMessage = z.object({ indexerFailure: z.string() });
process.on("message", (message) => {
  const parsed = SupervisorMessage.safeParse(message);
  if (parsed.success) gateway.reportOutage(parsed.data.indexerFailure);
});
