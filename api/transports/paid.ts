import { Hono } from "hono";
import type { Logger } from "pino";
import { NotFound } from "../errors";
import { callerOf } from "../http/caller";
import type { Env } from "../http/log";
import { admit } from "../operations/admission";
import { type AnyOperation, allOperations } from "../operations/index";
import type { Caller } from "../operations/operation";
import { parseInput, runOperation } from "../operations/run";
import type { Services } from "../services";
import { createPaywall } from "../x402/paywall";
import { answer, refuseOtherMethods, sentInput } from "./rest";
import { routeOf } from "./route";

/** The routes of the operations that are paid for. What was sent is checked before any payment is asked for or taken. */
export function paidRoutes(services: Services, log: Logger): Hono<Env> {
  const routes = new Hono<Env>();
  for (const { operation } of allOperations) if (operation.paid) addRoute(routes, operation, services, log);
  return routes;
}

function addRoute(routes: Hono<Env>, operation: AnyOperation, services: Services, log: Logger): void {
  const { config, payments, store } = services;
  const route = routeOf(operation);
  const sell = payments && createPaywall(operation, payments, store, log);
  routes.get(route.honoPath, async (c) => {
    const sent = await sentInput(c, route);
    const input = parseInput(services, operation, sent);
    const make = async (caller: Caller) =>
      JSON.stringify((await runOperation(services, operation, sent, caller)).output);
    const caller = callerOf(c, config);
    if (config.x402DevBypass) return answer(c, await make(admit(caller)));
    if (!sell) throw new NotFound(`${route.path} is not offered here: this service was not told who is paid for it`);
    return sell(c, { caller, request: `${operation.route} ${JSON.stringify(input)}`, make });
  });
  refuseOtherMethods(routes, route.honoPath, [route.method]);
}
