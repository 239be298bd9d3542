import type { Network, PaymentRequired, PaymentRequiredV1 } from "@x402/core/types";
import { EVM_NETWORK_CHAIN_ID_MAP } from "@x402/evm/v1";

/** The CAIP-2 ids of the networks by their names in x402 version 1, such as `base-sepolia`. */
const networks = new Map(Object.entries(EVM_NETWORK_CHAIN_ID_MAP).map(([name, id]) => [name, `eip155:${id}` as const]));
const names = new Map<string, string>([...networks].map(([name, network]) => [network, name]));

/** The CAIP-2 id of a network that version 1 names. Other names are returned unchanged. */
export const networkOf = (name: Network): Network => networks.get(name) ?? name;

/** The name of a network in version 1, if it has one. */
export const nameOf = (network: string): string | undefined => names.get(network);

/** The body of a 402 response for clients of version 1. Undefined if version 1 does not name the network. */
export function paymentRequiredV1({ resource, accepts }: PaymentRequired): PaymentRequiredV1 | undefined {
  const { url, description = "", mimeType = "" } = resource;
  const named = accepts.flatMap(({ network, amount, ...terms }) => {
    const name = nameOf(network) as PaymentRequiredV1["accepts"][number]["network"] | undefined;
    return name === undefined ? [] : [{ ...terms, network: name, maxAmountRequired: amount }];
  });
  const about = { resource: url, description, mimeType, outputSchema: { input: { type: "http", method: "GET" } } };
  if (named.length === 0) return undefined;
  return { x402Version: 1, accepts: named.map((terms) => ({ ...terms, ...about })) };
}
