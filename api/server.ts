import { pino } from "pino";
import { z } from "zod";
import { parseEnvironment } from "../config/environment";
import { composeGateway } from "./compose";
import { listen, stopOnSignals } from "./http/listener";

const environment = parseEnvironment(process.env);
const log = pino({ level: environment.logLevel });
const gateway = await composeGateway(environment, log);

stopOnSignals(listen(gateway.app, environment.apiPort, log), {
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
