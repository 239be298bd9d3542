import type { z } from "zod";

/** An environment variable: how its text is parsed, its default, and its documentation. */
export type Variable = {
  schema: z.ZodType<unknown, string>;
  /**
   * The text to parse when the variable is unset, for all chains or by the kind of chain. Without one, the value is
   * undefined.
   */
  default?: string | DefaultByChain;
  /** Documents a default that is computed from other variables, or where the variable is used. */
  computedDefault?: string;
  /** The property of `Environment` that has the parsed value. Without one, the value is only an input of derived properties. */
  property?: string;
  /** In Markdown, for .env.example and docs/configuration.md. */
  description: string;
  /** Whether it is left out of .env.example, because operators don't set it there. */
  internal?: true;
};

/** Defaults by the kind of chain. A limit that has none for one kind does not apply there. */
type DefaultByChain = { local?: string; elsewhere?: string };

/** Variables that are documented under one heading, by name. */
export type VariableGroup = { title: string; note?: string; variables: Record<string, Variable> };

type Table = Record<string, Variable>;

type AlwaysSet = { default: string | Required<DefaultByChain> };

/** A variable without a default for every chain is optional. */
type Shape<Variables extends Table> = {
  [Name in keyof Variables]: Variables[Name] extends AlwaysSet
    ? Variables[Name]["schema"]
    : z.ZodOptional<Variables[Name]["schema"]>;
};

/** The properties of `Environment` that are parsed values of variables. */
type Settings<Variables extends Table, Values extends Partial<Record<keyof Variables, unknown>>> = {
  [Name in keyof Variables as Variables[Name] extends { property: infer Property extends string }
    ? Property
    : never]: Values[Name];
};

/** The default of a variable on a kind of chain. */
const defaultOf = ({ default: value }: Variable, isLocal: boolean): string | undefined =>
  typeof value === "object" ? (isLocal ? value.local : value.elsewhere) : value;

/** The variables with a default on a kind of chain, as an environment that sets them. */
export const defaultsOf = (variables: Table, isLocal: boolean): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(variables).map(([name, variable]) => [name, defaultOf(variable, isLocal)]));

/** The schemas of variables, as the shape of a zod object. */
export const shapeOf = <Variables extends Table>(variables: Variables) =>
  Object.fromEntries(
    Object.entries(variables).map(([name, variable]) => {
      const isAlwaysSet = [true, false].every((isLocal) => defaultOf(variable, isLocal) !== undefined);
      return [name, isAlwaysSet ? variable.schema : (variable.schema as z.ZodType).optional()];
    }),
  ) as Shape<Variables>;

/** Names parsed values by the properties that their variables declare. */
export const settingsOf = <Variables extends Table, Values extends Partial<Record<keyof Variables, unknown>>>(
  variables: Variables,
  values: Values,
) =>
  Object.fromEntries(
    Object.entries(variables).flatMap(([name, { property }]) =>
      property === undefined ? [] : [[property, values[name]]],
    ),
  ) as Settings<Variables, Values>;
