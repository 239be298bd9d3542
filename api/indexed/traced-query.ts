import pg, { type ClientConfig, type QueryConfig } from "pg";
import { isTracing, type Step, traceStep } from "../telemetry/span";

const MAX_TEXT_CHARACTERS = 2_000;

const table = /\b(?:from|into|update)\s+((?:"?\w+"?\.)?"?\w+"?)/i;

/**
 * Describes a query for a trace. Its text has placeholders instead of values.
 *
 * @example
 * stepOf('select "id" from "agent" where "id" = $1').name // "SELECT agent"
 */
export function stepOf(text: string): Step {
  const operation = /^\s*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? "QUERY";
  const target = table.exec(text)?.[1]?.replaceAll('"', "");
  return {
    name: target === undefined ? operation : `${operation} ${target}`,
    isCall: true,
    attributes: { "db.system.name": "postgresql", "db.query.text": text.slice(0, MAX_TEXT_CHARACTERS) },
  };
}

/** Runs a query as a step of the request's trace. */
export const traceQuery = <Result>(query: QueryConfig | string, run: () => Promise<Result>): Promise<Result> =>
  isTracing() ? traceStep(stepOf(typeof query === "string" ? query : query.text), run) : run();

/**
 * A connection whose queries are steps of a trace, for transactions. Queries of a pool have a callback here: the pool traces
 * them, because its callbacks may run as part of another request.
 */
export class TracedClient extends pg.Client {
  constructor(config?: ClientConfig) {
    super(config);
    // A connection that breaks rejects its query. Without a listener, one that runs a transaction would end the process.
    this.on("error", () => {});
  }

  // pg has many overloads.
  override query = ((query: QueryConfig | string, ...rest: [values?: unknown[], callback?: unknown]) => {
    const run = () => Reflect.apply(pg.Client.prototype.query, this, [query, ...rest]);
    const isPlain = typeof query === "string" || (typeof query.text === "string" && !("submit" in query));
    return isPlain && !rest.some((one) => typeof one === "function") ? traceQuery(query, run) : run();
  }) as pg.Client["query"];
}
