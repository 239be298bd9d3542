import type { Reads } from "../../../explorer/reads";
import type { AnyOperation, Caller } from "../../core/operation";
import { runOperation } from "../../core/run";
import type { Context } from "../../operations/context";
import { operations } from "../../operations/index";

/** Whether an operation answers a query: it neither writes, nor streams, nor costs anything. */
const isQuery = (operation: AnyOperation) => operation.kind === undefined && !operation.writes && !operation.paid;

/**
 * The calls of the typed client, run in this process: the same operations, validation and limits as over HTTP. The types
 * of the client are generated from the operations.
 */
export function readsOf(context: Context, caller: Caller): Reads {
  const resources = Object.entries(operations).map(([resource, named]) => {
    const queries = Object.entries(named)
      .filter(([, operation]: [string, AnyOperation]) => isQuery(operation))
      .map(([name, operation]) => [
        name,
        {
          query: async (input: unknown = {}) => runOperation(context, operation, input, caller),
        },
      ]);
    return [resource, Object.fromEntries(queries)];
  });
  return Object.fromEntries(resources) as Reads;
}
