import { z } from "zod";
import { shapeOf, type VariableGroup } from "../variable";
import { chain, contracts } from "./chain";
import { database } from "./database";
import { events } from "./events";
import { payment } from "./payment";
import { portfolio } from "./portfolio";
import { processes, tools } from "./processes";
import { writes } from "./writes";

/** Every environment variable, in the order of the documentation. */
export const variableGroups: readonly VariableGroup[] = [
  chain,
  contracts,
  processes,
  database,
  writes,
  events,
  portfolio,
  payment,
  tools,
];

/** The names of all variables. */
export const variableNames: readonly string[] = variableGroups.flatMap(({ variables }) => Object.keys(variables));

/** All variables except contract addresses. */
export const variables = {
  ...chain.variables,
  ...processes.variables,
  ...database.variables,
  ...writes.variables,
  ...events.variables,
  ...portfolio.variables,
  ...payment.variables,
  ...tools.variables,
};

/** Parses all variables, after their defaults are applied. */
export const Variables = z.object(shapeOf(variables)).and(z.object(shapeOf(contracts.variables)));
export type Variables = z.output<typeof Variables>;
