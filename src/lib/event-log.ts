import type { AbiEvent } from "viem";
import { protocolAbis } from "../../config/contracts";
import { cleanText } from "./text";

type ArgumentValue = string | number | boolean;
type EncodeArgument = (value: unknown) => ArgumentValue;

const asIs = (value: unknown) => value as ArgumentValue;
const asDecimal = (value: unknown) => String(value);
const asText = (value: unknown) => cleanText(value as string);

/** viem decodes integers of up to 48 bits to numbers and wider ones to bigints; JSON has no bigint. */
const encoderOf = (type: string): EncodeArgument => {
  if (type === "string") return asText;
  const bits = /^u?int(\d+)$/.exec(type)?.[1];
  return bits !== undefined && Number(bits) > 48 ? asDecimal : asIs;
};

/**
 * Makes the function that turns an event's decoded arguments into what the event log keeps: the same names, integers
 * wider than a JavaScript number as decimal strings, text without NUL.
 *
 * @example
 * argumentEncoder("IntentBook", "IntentCancelled")({ intentId: 7n }) // { intentId: "7" }
 */
export function argumentEncoder(contract: keyof typeof protocolAbis, eventName: string) {
  const abi: readonly { type: string; name?: string }[] = protocolAbis[contract];
  const event = abi.find((item): item is AbiEvent => item.type === "event" && item.name === eventName);
  if (!event) throw new Error(`${contract} has no event ${eventName}`);
  const encoders = event.inputs.map(({ name, type }): [string, EncodeArgument] => {
    if (name === undefined) throw new Error(`An argument of ${contract}.${eventName} has no name`);
    return [name, encoderOf(type)];
  });
  return (args: Readonly<Record<string, unknown>>) => {
    const encoded: Record<string, ArgumentValue> = {};
    for (const [name, encode] of encoders) encoded[name] = encode(args[name]);
    return encoded;
  };
}
