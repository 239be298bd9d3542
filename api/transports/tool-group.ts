import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import { BadInput } from "../core/errors";
import { unknownNames } from "../core/input-object";
import { exactly, isJsonObject } from "../core/inputs";
import { inputJsonSchema } from "../core/json-schema";
import type { AnyCall } from "../core/operation";
import type { Schema } from "./json-schema-text";
import { shortSchema } from "./tool-json-schema";

/** A tool for several operations. A field of a call chooses one of them. */
export type ToolGroup = {
  name: string;
  /** A title, as an operation has. */
  summary: string;
  description?: string;
  /** The field that chooses the operation. */
  choice: string;
  /** The operations by the value that chooses them. */
  operations: Readonly<Record<string, AnyCall>>;
  /** The fields that all operations have. The others are in the field `input`. */
  shared: readonly string[];
};

const ownFields = ({ shared }: Pick<ToolGroup, "shared">, { input }: AnyCall) =>
  Object.keys(input.shape).filter((name) => !shared.includes(name));

/** Whether calls have the field `input`: an operation has fields of its own. */
export const hasInput = (group: ToolGroup): boolean =>
  Object.values(group.operations).some((operation) => ownFields(group, operation).length > 0);

function fieldText(name: string, { type, enum: choices, properties, items }: Schema, isRequired: boolean): string {
  const field = isRequired ? name : `${name}?`;
  if (choices) return `${field}: ${choices.join("|")}`;
  if (items) return `${field}: {${fieldTexts(items).join(", ")}}[]`;
  if (properties) return `${field}: {${fieldTexts({ properties }).join(", ")}}`;
  return type === "object" ? `${field}: {}` : field;
}

/** The fields of an object, the required ones first. */
function fieldTexts({ properties = {}, required = [] }: Schema, names = Object.keys(properties)): string[] {
  const text = (name: string) => fieldText(name, properties[name] ?? {}, required.includes(name));
  const isRequired = (name: string) => required.includes(name);
  return [...names.filter(isRequired), ...names.filter((name) => !isRequired(name))].map(text);
}

/**
 * An operation of a group with its own fields.
 *
 * @example
 * signatureOf(group, "resolveDispute") // "resolveDispute(dispute_id, outcome: resolved|rejected, resolution?, resolution_hash?)"
 */
function signatureOf(group: ToolGroup, value: string, operation: AnyCall): string {
  const fields = fieldTexts(inputJsonSchema(operation.input) as Schema, ownFields(group, operation));
  return `${value}(${fields.join(", ")})`;
}

/** What the tool does, and the fields of each operation. */
export function groupText(group: ToolGroup): string {
  const { summary, description, operations } = group;
  const signatures = Object.entries(operations).map(([value, operation]) => signatureOf(group, value, operation));
  return [summary, description, ...(hasInput(group) ? [`${signatures.join("; ")}.`] : [])].filter(Boolean).join(" ");
}

/** The schema of a call. */
export function groupSchema(group: ToolGroup): Tool["inputSchema"] {
  const { choice, operations, shared } = group;
  const [first] = Object.values(operations);
  const { properties = {}, required = [] }: Schema = first ? inputJsonSchema(first.input) : {};
  const withInput = hasInput(group);
  return {
    type: "object",
    properties: {
      [choice]: { type: "string", enum: Object.keys(operations) },
      // The server's instructions explain them once for all tools.
      ...Object.fromEntries(shared.map((name) => [name, shortSchema({ ...properties[name], description: undefined })])),
      ...(withInput && { input: { type: "object" } }),
    },
    required: [choice, ...shared.filter((name) => required.includes(name)), ...(withInput ? ["input"] : [])],
    additionalProperties: false,
  };
}

/** The operation that a call chooses, and its input. Throws {@link BadInput}; the operation checks the rest. */
export function chosenCall(group: ToolGroup, sent: Readonly<Record<string, unknown>>) {
  const { choice, operations, shared } = group;
  const unknown = unknownNames(Object.keys(sent), new Set([choice, ...shared, ...(hasInput(group) ? ["input"] : [])]));
  if (unknown.length > 0) throw new BadInput(...unknown);
  const { [choice]: value, input, ...common } = sent;
  const chosen = exactly(...Object.keys(operations)).safeParse(value ?? undefined);
  const operation = chosen.success ? operations[chosen.data] : undefined;
  if (!operation) throw new BadInput(`${choice}: ${chosen.error?.issues[0]?.message ?? "is unknown"}`);
  const own = input ?? {};
  if (!isJsonObject(own)) throw new BadInput("input: must be a JSON object");
  // The input of a next step repeats them.
  const different = Object.keys(own).filter(
    (name) => shared.includes(name) && (common[name] ?? own[name]) !== own[name],
  );
  if (different.length > 0)
    throw new BadInput(...different.map((name) => `${name}: is sent twice, with different values`));
  return { operation, input: { ...common, ...own } };
}
