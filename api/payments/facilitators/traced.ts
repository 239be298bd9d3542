import { traceStep } from "../../telemetry/span";
import type { Facilitator } from "./remote";

/** A facilitator whose calls are steps of the request's trace. */
export function tracedFacilitator(facilitator: Facilitator, host: string): Facilitator {
  const attributes = { "server.address": host };
  return {
    verify: (...call) =>
      traceStep({ name: "facilitator verify", isCall: true, attributes }, () => facilitator.verify(...call)),
    settle: (...call) =>
      traceStep({ name: "facilitator settle", isCall: true, attributes }, () => facilitator.settle(...call)),
    getSupported: () => facilitator.getSupported(),
  };
}
