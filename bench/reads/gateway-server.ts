import { Hono } from "hono";
import { pino } from "pino";
import { composeGateway } from "../../api/compose";
import { batchedOutput } from "../../api/http/batched-output";
import { listen } from "../../api/http/listener";
import { requestIdField } from "../../api/metrics/request-id";
import { startMetrics } from "../../api/metrics/scrape";
import { parseEnvironment } from "../../config/environment";
import { addEmptyRoute } from "./empty-route";

/** The gateway as api/server.ts starts it, with an empty Hono route on the same listener. */
startMetrics();
const environment = parseEnvironment(process.env);
const log = pino({ level: environment.logLevel, mixin: requestIdField }, batchedOutput());
const gateway = await composeGateway(environment, log);

const app = addEmptyRoute(new Hono());
app.all("*", (c) => gateway.app.fetch(c.req.raw, c.env));
listen(app, { port: environment.apiPort, host: environment.apiHost }, log, gateway.serveDirectly);
