import { z } from "zod";
import { shapeOf, type VariableGroup } from "../variable";
import { chain, contracts } from "./chain";
import { database } from "./database";
import { metadata } from "./metadata";
import { payment } from "./payment";
import { portfolio } from "./portfolio";
import { processes } from "./processes";
import { tracing } from "./tracing";
import { writes } from "./writes";

/** Every environment variable, in the order of the documentation. */
export const variableGroups: readonly VariableGroup[] = [
  chain,
  contracts,
  processes,
  database,
  writes,
  metadata,
  portfolio,
  payment,
  tracing,
];

/** The names of all variables. */
export const variableNames: readonly string[] = variableGroups.flatMap(({ variables }) => Object.keys(variables));

/** The groups of variables that all processes on one index share. */
const sharedGroups: readonly VariableGroup[] = [chain, contracts, writes, metadata, portfolio, payment];

/**
 * The variables that all processes on one index share. An indexer publishes them for gateways on other machines. Those of the
 * other groups belong to a machine, except a secret: no gateway may show its metrics without the token.
 */
export const sharedVariableNames: readonly string[] = [
  ...sharedGroups.flatMap(({ variables }) => Object.keys(variables)),
  "METRICS_TOKEN" satisfies keyof typeof processes.variables,
];

/** All variables except contract addresses. */
export const variables = {
  ...chain.variables,
  ...processes.variables,
  ...database.variables,
  ...writes.variables,
  ...metadata.variables,
  ...portfolio.variables,
  ...payment.variables,
  ...tracing.variables,
};

/** Parses all variables, after their defaults are applied. */
export const Variables = z.object(shapeOf(variables)).and(z.object(shapeOf(contracts.variables)));
export type Variables = z.output<typeof Variables>;
