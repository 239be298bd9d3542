import type { PaymentRequiredV1 } from "@x402/core/types";
import { EVM_NETWORK_CHAIN_ID_MAP } from "@x402/evm/v1";
import type { Offer } from "./offer";

/** The CAIP-2 ids of the networks by their names in x402 version 1, such as `base-sepolia`. */
const networks = new Map(Object.entries(EVM_NETWORK_CHAIN_ID_MAP).map(([name, id]) => [name, `eip155:${id}`]));
const names = new Map([...networks].map(([name, network]) => [network, name]));

/** The CAIP-2 id of a network that version 1 names. Other names are returned unchanged. */
export const networkOf = (name: string): string => networks.get(name) ?? name;

/** The name of a network in version 1, if it has one. */
export const nameOf = (network: string): string | undefined => names.get(network);

/** The body of a 402 response for clients of version 1. Undefined if version 1 does not name the network. */
export function paymentRequiredV1({ resource, accepts }: Offer): Omit<PaymentRequiredV1, "error"> | undefined {
  const [{ scheme, network, amount, payTo, maxTimeoutSeconds, asset, extra }] = accepts;
  const name = nameOf(network);
  if (name === undefined) return undefined;
  const { url, description = "", mimeType = "" } = resource;
  return {
    x402Version: 1,
    accepts: [
      {
        scheme,
        network: name as PaymentRequiredV1["accepts"][number]["network"],
        maxAmountRequired: amount,
        resource: url,
        description,
        mimeType,
        outputSchema: { input: { type: "http", method: "GET" } },
        payTo,
        maxTimeoutSeconds,
        asset,
        extra,
      },
    ],
  };
}
