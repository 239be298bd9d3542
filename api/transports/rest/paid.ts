import { Hono, type Context as HonoContext } from "hono";
import type { Logger } from "pino";
import { NotFound } from "../../core/errors";
import type { AnyCall, Caller } from "../../core/operation";
import { paidCaller } from "../../core/paid-caller";
import { requirePermission, runValid } from "../../core/run";
import { failureOf } from "../../http/failure";
import { type Env, reply, taggedReply } from "../../http/reply";
import type { Context } from "../../operations/context";
import { calls } from "../../operations/index";
import { createPaywall } from "../../payments/paywall";
import { paidRequests } from "../../telemetry/metrics";
import { routeOf } from "./route";
import { inputReader, rejectOtherMethods } from "./routes";

/** The routes of the paid operations. Input is validated before payment. */
export function paidRoutes(context: Context, log: Logger): Hono<Env> {
  const routes = new Hono<Env>();
  for (const { operation } of calls) if (operation.paid) addRoute(routes, operation, context, log);
  return routes;
}

function addRoute(routes: Hono<Env>, operation: AnyCall, context: Context, log: Logger): void {
  const { config, payments, store } = context;
  const { honoPath, method, path } = routeOf(operation);
  const paywall = payments && createPaywall(operation, payments, store, config, log);
  const readInput = inputReader(context, operation);
  const serve = async (c: HonoContext<Env>, input: Record<string, unknown>): Promise<Response> => {
    const { caller } = c.var;
    const run = async (paid: Caller) => {
      requirePermission(context, operation, paid);
      return JSON.stringify(await runValid(context, operation, input, paid));
    };
    if (config.x402DevBypass) return reply(c, taggedReply(await run(paidCaller(caller))));
    if (!paywall) throw new NotFound(`${path} is not available: payment is not configured on this server`);
    return paywall(c, { caller, request: `${operation.route} ${JSON.stringify(input)}`, run });
  };
  routes.get(honoPath, async (c) => {
    const input = await readInput(c);
    try {
      const response = await serve(c, input);
      paidRequests.inc({ status: response.status });
      return response;
    } catch (error) {
      paidRequests.inc({ status: failureOf(error).status });
      throw error;
    }
  });
  rejectOtherMethods(routes, honoPath, [method]);
}
