import type { z } from "zod";

/** An environment variable: its type, default and documentation. */
export type Variable = {
  type: z.ZodType<unknown, string>;
  /**
   * The default, before parsing: for all chains or by the kind of chain. Without one, the value of an unset variable is
   * undefined.
   */
  default?: string | DefaultByChain;
  /** Documents a default that is computed from other variables, or by the code that uses the variable. */
  computedDefault?: string;
  /** The property of `Environment` with the parsed value. Without one, only derived properties use the value. */
  property?: string;
  /** Markdown for .env.example and docs/configuration.md. */
  description: string;
  /** Whether to omit it from .env.example, because operators don't set it there. */
  internal?: true;
};

/** Defaults by the kind of chain. A limit without a default does not apply to that kind. */
type DefaultByChain = { local?: string; elsewhere?: string };

/** The variables under one heading of the documentation, by name. */
export type VariableGroup = { title: string; note?: string; variables: Record<string, Variable> };

type Table = Record<string, Variable>;

type AlwaysSet = { default: string | Required<DefaultByChain> };

/** A variable without a default for every chain is optional. */
type Shape<Variables extends Table> = {
  [Name in keyof Variables]: Variables[Name] extends AlwaysSet
    ? Variables[Name]["type"]
    : z.ZodOptional<Variables[Name]["type"]>;
};

/** The properties that variables declare, with the types of their parsed values. */
type Settings<Variables extends Table, Values extends Partial<Record<keyof Variables, unknown>>> = {
  [Name in keyof Variables as Variables[Name] extends { property: infer Property extends string }
    ? Property
    : never]: Values[Name];
};

/** The default of a variable on a kind of chain. */
const defaultOf = ({ default: value }: Variable, isLocal: boolean): string | undefined =>
  typeof value === "object" ? (isLocal ? value.local : value.elsewhere) : value;

/** The defaults on a kind of chain, by variable name. */
export const defaultsOf = (variables: Table, isLocal: boolean): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(variables).map(([name, variable]) => [name, defaultOf(variable, isLocal)]));

/** The types of variables as the shape of a zod object. */
export const shapeOf = <Variables extends Table>(variables: Variables) =>
  Object.fromEntries(
    Object.entries(variables).map(([name, variable]) => {
      const isAlwaysSet = [true, false].every((isLocal) => defaultOf(variable, isLocal) !== undefined);
      return [name, isAlwaysSet ? variable.type : (variable.type as z.ZodType).optional()];
    }),
  ) as Shape<Variables>;

/** Maps parsed values to the properties that their variables declare. */
export const settingsOf = <Variables extends Table, Values extends Partial<Record<keyof Variables, unknown>>>(
  variables: Variables,
  values: Values,
) =>
  Object.fromEntries(
    Object.entries(variables).flatMap(([name, { property }]) =>
      property === undefined ? [] : [[property, values[name]]],
    ),
  ) as Settings<Variables, Values>;
