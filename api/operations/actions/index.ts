import type { protocolAbis } from "../../../config/contracts";
import type { FunctionName } from "./action";
import { intentActions } from "./intents";
import { merchantActions } from "./merchants";
import { paymentActions } from "./payments";
import { policyActions } from "./policies";
import { registryActions } from "./registries";
import { saleActions } from "./sales";

type Abis = typeof protocolAbis;

/** Every function of the protocol that changes state. One without an action does not compile. */
type EveryFunction = { [Contract in keyof Abis]: FunctionName<Abis[Contract]> }[keyof Abis];

/** The actions by what they are about. Each group is one MCP tool. */
export const actionGroups = {
  registration: {
    summary: "Prepares registrations, updates and attestations.",
    actions: { ...registryActions, ...merchantActions },
  },
  intent: { summary: "Prepares intents, bids and fills.", actions: intentActions },
  policy: { summary: "Prepares changes of an account's policies.", actions: policyActions },
  sale: { summary: "Prepares quotes, receipts, fulfillments and disputes.", actions: saleActions },
  payment: { summary: "Prepares payments, approvals and transfers.", actions: paymentActions },
};

/** The actions that are prepared, by the name of their function. */
export const actions = {
  ...actionGroups.registration.actions,
  ...actionGroups.intent.actions,
  ...actionGroups.policy.actions,
  ...actionGroups.sale.actions,
  ...actionGroups.payment.actions,
} satisfies Record<EveryFunction, object>;
