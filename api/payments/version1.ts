import type { Network, PaymentRequired, PaymentRequiredV1 } from "@x402/core/types";
import { EVM_NETWORK_CHAIN_ID_MAP } from "@x402/evm/v1";

const networks = Object.entries(EVM_NETWORK_CHAIN_ID_MAP).map(([name, id]) => ({ name, id: `eip155:${id}` as const }));

/** The CAIP-2 id of a network that version 1 names, such as `base-sepolia`. Other names are returned unchanged. */
export const networkOf = (name: Network): Network => networks.find((network) => network.name === name)?.id ?? name;

/** The name of a network in version 1, if it has one. */
export const nameOf = (id: string): string | undefined => networks.find((network) => network.id === id)?.name;

/** The body of a 402 response for clients of version 1. Undefined if version 1 does not name the network. */
export function paymentRequiredV1({ resource, accepts }: PaymentRequired): PaymentRequiredV1 | undefined {
  const { url, description = "", mimeType = "" } = resource;
  const about = { resource: url, description, mimeType, outputSchema: { input: { type: "http", method: "GET" } } };
  const named = accepts.flatMap(({ network, amount, ...terms }) => {
    const name = nameOf(network) as PaymentRequiredV1["accepts"][number]["network"] | undefined;
    return name === undefined ? [] : [{ ...terms, ...about, network: name, maxAmountRequired: amount }];
  });
  return named.length === 0 ? undefined : { x402Version: 1, accepts: named };
}
