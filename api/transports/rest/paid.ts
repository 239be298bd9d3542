import { Hono, type Context as HonoContext } from "hono";
import type { Logger } from "pino";
import { NotFound } from "../../core/errors";
import type { AnyCall, Caller } from "../../core/operation";
import { paidCaller } from "../../core/paid-caller";
import { parseInput, requirePermission, runPermitted } from "../../core/run";
import { callerOf } from "../../http/caller";
import { failureOf } from "../../http/failure";
import type { Env } from "../../http/log";
import { paidRequests } from "../../metrics/metrics";
import type { Context } from "../../operations/context";
import { calls, nameOf } from "../../operations/index";
import { createPaywall } from "../../payments/paywall";
import { routeOf } from "./route";
import { readInput, rejectOtherMethods, respond } from "./routes";

/** The routes of the paid operations. Input is validated before payment. */
export function paidRoutes(context: Context, log: Logger): Hono<Env> {
  const routes = new Hono<Env>();
  for (const { operation } of calls) if (operation.paid) addRoute(routes, operation, context, log);
  return routes;
}

function addRoute(routes: Hono<Env>, operation: AnyCall, context: Context, log: Logger): void {
  const { config, payments, store } = context;
  const route = routeOf(operation);
  const paywall = payments && createPaywall(operation, payments, store, config, log);
  const serve = async (c: HonoContext<Env>): Promise<Response> => {
    const input = parseInput(context, operation, await readInput(c, route));
    const run = async (caller: Caller) => {
      requirePermission(context, operation, caller);
      return JSON.stringify(await runPermitted(context, operation, input, caller));
    };
    const caller = callerOf(c, config);
    if (config.x402DevBypass) return respond(c, await run(paidCaller(caller)));
    if (!paywall) throw new NotFound(`${route.path} is not available: payment is not configured on this server`);
    return paywall(c, { caller, request: `${operation.route} ${JSON.stringify(input)}`, run });
  };
  routes.get(route.honoPath, async (c) => {
    c.set("operation", nameOf(operation));
    try {
      const response = await serve(c);
      paidRequests.inc({ status: response.status });
      return response;
    } catch (error) {
      paidRequests.inc({ status: failureOf(error).status });
      throw error;
    }
  });
  rejectOtherMethods(routes, route.honoPath, [route.method]);
}
