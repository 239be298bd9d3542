import { nearest } from "../../common/nearest";
import { WrongUsage } from "./failure";
import { inputOf, isField } from "./inputs";
import type { CliInput, CliOperation } from "./operation";
import { operations } from "./operations";

/** Short names of actions. */
export const verbs: Readonly<Record<string, string>> = {
  submit: "submitIntent",
  bid: "submitBid",
  select: "selectBid",
  fill: "fillIntent",
  cancel: "cancelIntent",
  quote: "commitQuote",
  pay: "payQuote",
  settle: "executeSettlement",
  receipt: "recordReceipt",
  fulfill: "recordFulfillment",
  dispute: "openDispute",
  resolve: "resolveDispute",
  attest: "submitAttestation",
  approve: "approveToken",
  transfer: "transferToken",
};

/** The operations that prepare actions begin with it. */
export const PREFIX = "actions.";

/** The names of all actions. */
export const actionNames = Object.keys(operations)
  .filter((name) => name.startsWith(PREFIX))
  .map((name) => name.slice(PREFIX.length));

/** The inputs of every action about who sends it. */
const senderInputs = new Set(["from", "account", "signer"]);

/** The name of an action: of a short name, or of the name with dashes. */
export const actionOf = (word: string): string =>
  Object.hasOwn(verbs, word)
    ? (verbs[word] ?? "")
    : word.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Required inputs come first, and those that a person seldom writes last. */
function placeOf(name: string, { required }: CliInput): number {
  if (senderInputs.has(name)) return 3;
  if (required) return 0;
  return name.endsWith("_hash") ? 2 : 1;
}

/** The inputs of an action: required ones, others, hashes, and those about the sender. */
export function inputsOf(word: string): CliOperation["inputs"] {
  const name = `${PREFIX}${actionOf(word)}`;
  const inputs = Object.hasOwn(operations, name) ? Object.entries(operations[name]?.inputs ?? {}) : [];
  return Object.fromEntries(inputs.sort((one, other) => placeOf(...one) - placeOf(...other)));
}

/** The last word of a name: of `amount_out` it is `out`. */
const lastWord = (name: string): string => name.slice(name.lastIndexOf("_") + 1);

/** The options of an action with the inputs that they mean: `amount-out`, and `out` if no other input ends so. */
export function optionsOf(word: string): Readonly<Record<string, string>> {
  const names = Object.keys(inputsOf(word));
  const short = names.filter((name) => names.filter((other) => lastWord(other) === lastWord(name)).length === 1);
  return Object.fromEntries([
    ...short.map((name) => [lastWord(name), name]),
    ...names.map((name) => [name.replaceAll("_", "-"), name]),
  ]);
}

/**
 * An action and its input from words. A value without a name is the next input in their order.
 *
 * @example
 * actionIn(["bid", "5", "955tUSD", "fee=1"]) // { action: "submitBid", input: { intent_id: "5", amount_out: "955tUSD", fee: "1" } }
 */
export function actionIn([verb, ...words]: readonly string[]): { action: string; input: Record<string, unknown> } {
  if (verb === undefined) throw new WrongUsage("The action is missing, such as bid or registerAgent");
  const action = actionOf(verb);
  if (!actionNames.includes(action)) {
    const near = nearest(verb, [...Object.keys(verbs), ...actionNames]);
    const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "intentry do --help lists actions";
    throw new WrongUsage(`Unknown action ${verb}. ${hint}`);
  }
  const names = Object.keys(inputsOf(action)).filter((name) => !senderInputs.has(name));
  const fields = words.map((word) => {
    if (isField(word)) return word;
    const name = names.shift();
    if (name === undefined) throw new WrongUsage(`Unexpected argument: ${word}`);
    return `${name}=${word}`;
  });
  const input = inputOf(fields);
  if (input.from === undefined) throw new WrongUsage("--from is missing: the address of the account that acts");
  return { action, input };
}
