import { z } from "zod";
import type { Terms } from "../terms";
import { address, flag, httpUrl } from "../values";
import type { VariableGroup } from "../variable";

/** A token and its EIP-712 domain. The name may contain commas. */
const paymentToken = z
  .string()
  .regex(
    /^0x[0-9a-fA-F]{40},.{1,64},[^,]{1,16},([12]?\d|3[0-6])$/,
    "must be the token's address, the name and version in its EIP-712 domain, and its decimals, separated by commas",
  )
  .transform((text): Terms["asset"] => {
    const [token = "", ...domain] = text.split(",");
    const decimals = Number(domain.pop());
    const version = domain.pop() ?? "";
    return { address: address.parse(token), name: domain.join(","), version, decimals };
  });

export const payment = {
  title: "Payments",
  note: "`/portfolio` requires an x402 payment. If a local chain is both indexed and the payment network, every setting has a default: the built-in facilitator, the test dollar and one of anvil's accounts. On any other payment network none of these is used. On other chains, set at least `X402_PAY_TO` and `X402_FACILITATOR_URL`. Otherwise `/portfolio` returns 404; other routes are not affected.",
  variables: {
    X402_PAY_TO: {
      type: address.refine((value) => !/^0x0+$/.test(value), "must not be the zero address"),
      description: "Address that receives the payments.",
    },
    X402_PRICE: {
      type: z
        .string()
        .regex(/^\$?\d{1,9}(\.\d{1,18})?$/, "must be an amount of dollars, such as $0.01")
        .refine((price) => /[1-9]/.test(price), "must be more than 0")
        .transform((price) => `$${price.replace(/^\$/, "")}`),
      // No $: a shell would expand it.
      default: "0.01",
      description: "Price of a request, in dollars.",
    },
    X402_FACILITATOR_URL: {
      type: httpUrl,
      description: "URL of the facilitator that verifies and settles payments. It must support x402 version 2.",
    },
    X402_FACILITATOR_AUTH: {
      type: z.string(),
      description: "`Authorization` header for the facilitator, if it requires one. It never appears in logs.",
    },
    X402_NETWORK: {
      type: z
        .string()
        .regex(/^eip155:[1-9]\d{0,9}$/, "must be the CAIP-2 id of an EVM chain, such as eip155:8453")
        .transform((network) => network as Terms["network"]),
      computedDefault: "the indexed chain",
      description: "Payment network, as a CAIP-2 id such as `eip155:8453`.",
    },
    X402_RPC_URL: {
      type: httpUrl,
      computedDefault: "`RPC_URL`, if the network is the indexed chain",
      description: "RPC URL of the payment network.",
    },
    X402_ASSET: {
      type: paymentToken,
      computedDefault: "the network's USDC, if x402 knows it",
      description:
        "Payment token, which must support EIP-3009: its address, the name and the version in its EIP-712 domain, and its decimals, separated by commas, such as `0x036CbD53842c5426634e7929541eC2318f3dCF7e,USDC,2,6`.",
    },
    X402_DEV_BYPASS: {
      property: "x402DevBypass",
      type: flag,
      default: "false",
      description:
        "Disables payment, for development. Rejected on a chain that is not local, and when `NODE_ENV=production`.",
    },
  },
} as const satisfies VariableGroup;
