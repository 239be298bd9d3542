import { Hono } from "hono";
import { composeGateway } from "../../api/compose";
import { listen } from "../../api/http/listener";
import { openLog } from "../../api/http/open-log";
import { startMetrics } from "../../api/telemetry/scrape";
import { parseEnvironment } from "../../config/environment";
import { addEmptyRoute, EMPTY_PATH } from "./empty-route";

/** The gateway as api/server.ts starts it, with an empty Hono route on the same listener. */
startMetrics();
const environment = parseEnvironment(process.env);
const log = openLog(environment);
const gateway = await composeGateway(environment, log);

const empty = addEmptyRoute(new Hono());
const isEmpty = ({ url }: Request) => url.endsWith(EMPTY_PATH);
const fetch: typeof gateway.app.fetch = (request, env) => (isEmpty(request) ? empty : gateway.app).fetch(request, env);
listen({ fetch }, { port: environment.apiPort, host: environment.apiHost }, log);
