import { Hono } from "hono";
import { composeGateway } from "../../api/compose";
import { listen } from "../../api/http/listener";
import { openLog } from "../../api/http/open-log";
import { startMetrics } from "../../api/metrics/scrape";
import { parseEnvironment } from "../../config/environment";
import { addEmptyRoute } from "./empty-route";

/** The gateway as api/server.ts starts it, with an empty Hono route on the same listener. */
startMetrics();
const environment = parseEnvironment(process.env);
const log = openLog(environment);
const gateway = await composeGateway(environment, log);

const app = addEmptyRoute(new Hono());
app.all("*", (c) => gateway.app.fetch(c.req.raw, c.env));
listen(app, { port: environment.apiPort, host: environment.apiHost }, log, gateway.serveDirectly);
