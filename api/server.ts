import { z } from "zod";
import { type Environment, InvalidEnvironment, parseEnvironment } from "../config/environment";
import { CONFIGURATION_ERROR } from "../config/exit-codes";
import { serveGateway } from "./serve";

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

const gateway = await serveGateway(readEnvironment());

const SupervisorMessage = z.object({ indexerFailure: z.string() });
process.on("message", (message) => {
  const parsed = SupervisorMessage.safeParse(message);
  if (parsed.success) gateway.reportOutage(parsed.data.indexerFailure);
});
