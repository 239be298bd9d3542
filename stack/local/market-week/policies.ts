import { parseUnits } from "viem";
import type { Contracts } from "../deploy";
import type { Batch } from "./batch";
import { type Agent, agents, facilitators } from "./cast";
import { type Merchant, merchants } from "./shops";

type Facilitator = (typeof facilitators)[number];

/** What an agent may pay a merchant through a facilitator, in dollars. */
type PaymentPolicy = {
  agent: Agent["name"];
  merchant: Merchant["name"];
  facilitator: Facilitator["name"];
  perPayment: number;
  perDay: number;
};

const paymentPolicies: readonly PaymentPolicy[] = [
  ...(["Fathom Weather", "Gridhouse Compute", "Lexicon Works", "Lastmile Post"] as const).map((merchant) => ({
    ...{ agent: "Compute Broker", merchant, facilitator: "Clearway Payments", perPayment: 250, perDay: 1_000 },
  })),
  {
    ...{ agent: "Marginalia", merchant: "Lexicon Works", facilitator: "Clearway Payments" },
    ...{ perPayment: 60, perDay: 200 },
  },
  {
    ...{ agent: "Parcel Pilot", merchant: "Lastmile Post", facilitator: "Tollgate", perPayment: 30, perDay: 120 },
  },
  {
    ...{ agent: "Parcel Pilot", merchant: "Fathom Weather", facilitator: "Clearway Payments" },
    ...{ perPayment: 10, perDay: 40 },
  },
  {
    ...{ agent: "Storefront Sam", merchant: "Stillframe", facilitator: "Clearway Payments" },
    ...{ perPayment: 40, perDay: 150 },
  },
];

/** What an agent may spend per day in all, in dollars, and who may freeze it. */
const dailyLimits: readonly { agent: Agent["name"]; dollars: number; guardian: Agent["name"] }[] = [
  { agent: "Parcel Pilot", dollars: 200, guardian: "Night Auditor" },
  { agent: "Marginalia", dollars: 300, guardian: "Night Auditor" },
  { agent: "Compute Broker", dollars: 2_500, guardian: "Ledger Scout" },
];

function named<Named extends { name: string }>(all: readonly Named[], name: string): Named {
  const found = all.find((one) => one.name === name);
  if (!found) throw new Error(`Nobody is called ${name}`);
  return found;
}

const usd = (dollars: number) => parseUnits(String(dollars), 6);

/** The policy for payments of an agent to a merchant through a facilitator, if there is one. */
export const policyFor = (agent: Agent, merchant: Merchant, facilitator: Facilitator): PaymentPolicy | undefined =>
  paymentPolicies.find(
    (policy) =>
      policy.agent === agent.name && policy.merchant === merchant.name && policy.facilitator === facilitator.name,
  );

/** Sets the policies of the agents' accounts. */
export function setPolicies({ call }: Batch, { TestDollar }: Contracts): void {
  for (const { agent, merchant, facilitator, perPayment, perDay } of paymentPolicies)
    call(named(agents, agent).account, "PolicyModule", "setPaymentPolicy", [
      named(merchants, merchant).account.address,
      TestDollar,
      named(facilitators, facilitator).account.address,
      usd(perPayment),
      usd(perDay),
      true,
    ]);
  for (const { agent, dollars, guardian } of dailyLimits) {
    const { account } = named(agents, agent);
    call(account, "PolicyModule", "setSpendLimit", [TestDollar, usd(dollars)]);
    call(account, "PolicyModule", "setGuardian", [named(agents, guardian).account.address]);
  }
}
