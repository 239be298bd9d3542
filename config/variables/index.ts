import { z } from "zod";
import { shapeOf, type VariableGroup } from "../variable";
import { chain, contracts } from "./chain";
import { database } from "./database";
import { events } from "./events";
import { metadata } from "./metadata";
import { payment } from "./payment";
import { portfolio } from "./portfolio";
import { processes, tools } from "./processes";
import { tracing } from "./tracing";
import { writes } from "./writes";

/** Every environment variable, in the order of the documentation. */
export const variableGroups: readonly VariableGroup[] = [
  chain,
  contracts,
  processes,
  database,
  writes,
  events,
  metadata,
  portfolio,
  payment,
  tracing,
  tools,
];

/** The names of all variables. */
export const variableNames: readonly string[] = variableGroups.flatMap(({ variables }) => Object.keys(variables));

/** The variables that all processes on one index share. An indexer publishes them for gateways on other machines. */
export const sharedVariableNames: readonly string[] = [
  chain,
  contracts,
  writes,
  events,
  metadata,
  portfolio,
  payment,
].flatMap(({ variables }: VariableGroup) => Object.keys(variables));

/** All variables except contract addresses. */
export const variables = {
  ...chain.variables,
  ...processes.variables,
  ...database.variables,
  ...writes.variables,
  ...events.variables,
  ...metadata.variables,
  ...portfolio.variables,
  ...payment.variables,
  ...tracing.variables,
  ...tools.variables,
};

/** Parses all variables, after their defaults are applied. */
export const Variables = z.object(shapeOf(variables)).and(z.object(shapeOf(contracts.variables)));
export type Variables = z.output<typeof Variables>;
