import { z } from "zod";
import type { Terms } from "../terms";
import { address, flag, httpUrl, wholeNumber } from "../values";
import type { VariableGroup } from "../variable";

export const payment = {
  title: "Payments",
  note: "`/portfolio` requires an x402 payment. If a local chain is both indexed and the payment network, every setting has a default: the built-in facilitator, the test dollar and one of anvil's accounts. On any other payment network none of these is used. On other chains, set at least `X402_PAY_TO` and `X402_FACILITATOR_URL`. Otherwise `/portfolio` returns 404; other routes are not affected.",
  variables: {
    X402_PAY_TO: {
      schema: address.refine((value) => !/^0x0+$/.test(value), "must not be the zero address"),
      description: "Address that receives the payments.",
    },
    X402_PRICE: {
      schema: z
        .string()
        .regex(/^\$?\d{1,9}(\.\d{1,18})?$/, "must be an amount of dollars, such as $0.01")
        .refine((price) => /[1-9]/.test(price), "must be more than 0")
        .transform((price) => `$${price.replace(/^\$/, "")}`),
      // No $: a shell would expand it.
      default: "0.01",
      description: "Price of a request, in dollars.",
    },
    X402_FACILITATOR_URL: {
      schema: httpUrl,
      description: "URL of the facilitator that verifies and settles payments. It must support x402 version 2.",
    },
    X402_FACILITATOR_AUTH: {
      schema: z.string(),
      description: "`Authorization` header for the facilitator, if it requires one. It never appears in logs.",
    },
    X402_NETWORK: {
      schema: z
        .string()
        .regex(/^eip155:[1-9]\d{0,9}$/, "must be the CAIP-2 id of an EVM chain, such as eip155:8453")
        .transform((network) => network as Terms["network"]),
      computedDefault: "the indexed chain",
      description: "Payment network, as a CAIP-2 id such as `eip155:8453`.",
    },
    X402_RPC_URL: {
      schema: httpUrl,
      computedDefault: "`RPC_URL`, if the network is the indexed chain",
      description: "RPC URL of the payment network.",
    },
    X402_ASSET: {
      schema: address,
      computedDefault: "the network's USDC, if x402 knows it",
      description: "Address of the payment token, which must support EIP-3009.",
    },
    X402_ASSET_NAME: {
      schema: z.string().max(64, "must have at most 64 characters"),
      description: "Name in the token's EIP-712 domain. Required with `X402_ASSET`.",
    },
    X402_ASSET_VERSION: {
      schema: z.string().max(16, "must have at most 16 characters"),
      description: "Version in the token's EIP-712 domain. Required with `X402_ASSET`.",
    },
    X402_ASSET_DECIMALS: {
      schema: wholeNumber(0, 36),
      description: "Decimals of the token. Required with `X402_ASSET`.",
    },
    RATE_LIMIT_REJECTED_PAYMENTS: {
      property: "rejectedPaymentsPerMinute",
      schema: wholeNumber(1, 1_000_000),
      // All clients of a local chain are on this machine.
      default: { elsewhere: "60" },
      description:
        "Maximum number of payments per client, process and minute that are rejected, such as wrongly signed ones. Further payments return 429.",
    },
    X402_DEV_BYPASS: {
      property: "x402DevBypass",
      schema: flag,
      default: "false",
      description:
        "Disables payment, for development. Rejected on a chain that is not local, and when `NODE_ENV=production`.",
    },
  },
} as const satisfies VariableGroup;
