import { z } from "zod";
import { addressVariable, optionalContracts, requiredContracts } from "../contracts";
import { address, httpUrl, list, webSocketUrl, wholeNumber } from "../values";
import type { Variable, VariableGroup } from "../variable";

export const chain = {
  title: "Chain",
  variables: {
    NETWORK: {
      type: z.enum(["local", "base-sepolia", "custom"], { error: "must be local, base-sepolia or custom" }),
      computedDefault: "`custom` if `CHAIN_ID` is set, otherwise `local`",
      description:
        "The chain to index: `local` (an anvil chain that `npm start` runs), `base-sepolia` (the public deployment) or `custom`.",
    },
    RPC_URL: {
      type: list(httpUrl),
      description:
        "HTTP URLs of the chain's RPC nodes, separated by commas. Requests fail over from one to the next. Required unless the network is `local`.",
    },
    RPC_WS_URL: {
      property: "rpcWebSocketUrls",
      type: list(webSocketUrl),
      default: "",
      computedDefault: "`RPC_URL` with `ws(s)://`",
      description: "WebSocket URLs of the same nodes, in the order of `RPC_URL`, for `newHeads` subscriptions.",
    },
    CHAIN_ID: {
      type: wholeNumber(1, 2 ** 31 - 1),
      description: "Chain id. Required when the network is `custom`.",
    },
    START_BLOCK: {
      type: wholeNumber(0, Number.MAX_SAFE_INTEGER),
      description: "The first block to index. Required when the network is `custom`.",
    },
    READY_MAX_LAG_SECONDS: {
      property: "maxLagSeconds",
      type: wholeNumber(0, 86_400),
      default: { local: "5", elsewhere: "30" },
      description: "How many seconds the index may lag behind the chain before `/ready` returns 503.",
    },
  },
} as const satisfies VariableGroup;

const contractAddress = {
  type: address,
  computedDefault: "the public deployment on `base-sepolia`; not used on `local`",
  description: "Address of the contract. Required when the network is `custom`.",
} as const satisfies Variable;

const optionalAddress = {
  ...contractAddress,
  description: "Address of the contract. Optional: a deployment without it has no settlements.",
} as const satisfies Variable;

type AddressVariable = Variable & { type: typeof address };

/** A separate group, because the types of the others depend on literal names. */
export const contracts: VariableGroup & { variables: Record<string, AddressVariable> } = {
  title: "Contracts",
  variables: Object.fromEntries([
    ...requiredContracts.map((name): [string, AddressVariable] => [addressVariable(name), contractAddress]),
    ...optionalContracts.map((name): [string, AddressVariable] => [addressVariable(name), optionalAddress]),
  ]),
};
