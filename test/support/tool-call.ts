import { hasInput } from "../../api/transports/tool-group";
import { toolCalls } from "../../api/transports/tools";

type Input = Record<string, unknown>;

/** The call of a tool that runs an operation on an input. Operations without a tool have names that no tool has. */
export function toolCall(operation: string, input: Input): { name: string; arguments: Input } {
  const { tool, group, value } = toolCalls.get(operation) ?? {};
  if (!group) return { name: tool?.name ?? operation.replace(".", "_"), arguments: input };
  const isShared = ([name]: [string, unknown]) => group.shared.includes(name) || !hasInput(group);
  const fields = Object.entries(input);
  const own = Object.fromEntries(fields.filter((field) => !isShared(field)));
  const shared = Object.fromEntries(fields.filter(isShared));
  return { name: group.name, arguments: { [group.choice]: value, ...shared, ...(hasInput(group) && { input: own }) } };
}
