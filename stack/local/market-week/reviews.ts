import { type Address, pad } from "viem";
import { sampleCounts } from "../sample/index";
import { hashOf } from "../sample/people";
import type { Batch } from "./batch";
import { agents, attestors, solvers } from "./cast";
import { merchants } from "./shops";

const [auditor, tester, guild] = attestors as [Reviewer, Reviewer, Reviewer];
type Reviewer = (typeof attestors)[number];

type Attestation = { day: number; by: Reviewer; schema: string; about: { account: { address: Address } } | undefined };

const attestations: readonly Attestation[] = [
  { day: 1, by: auditor, schema: "solver_reputation", about: solvers[0] },
  { day: 2, by: auditor, schema: "solver_reputation", about: solvers[1] },
  { day: 2, by: guild, schema: "model_provider", about: merchants[2] },
  { day: 3, by: tester, schema: "tool_capability", about: agents[0] },
  { day: 3, by: guild, schema: "model_provider", about: merchants[0] },
  { day: 4, by: auditor, schema: "safety_review", about: merchants[2] },
  { day: 5, by: tester, schema: "tool_capability", about: agents[3] },
  { day: 6, by: auditor, schema: "solver_reputation", about: solvers[2] },
];

const subjects = { merchant: 0, service: 1, facilitator: 2, agent: 3 } as const;
const kinds = { verification: 0, risk: 1, compliance: 2, fulfillment: 3 } as const;

type Signal = {
  day: number;
  by: { account: Reviewer["account"] } | undefined;
  about: keyof typeof subjects;
  id: bigint;
  kind: keyof typeof kinds;
};

const idOfMerchant = (index: number) => sampleCounts.merchants + BigInt(index + 1);

const signals: readonly Signal[] = [
  { day: 1, by: guild, about: "merchant", id: idOfMerchant(0), kind: "verification" },
  { day: 2, by: guild, about: "merchant", id: idOfMerchant(2), kind: "verification" },
  { day: 3, by: agents[2], about: "merchant", id: idOfMerchant(1), kind: "fulfillment" },
  { day: 4, by: auditor, about: "facilitator", id: sampleCounts.facilitators + 1n, kind: "compliance" },
  { day: 5, by: agents[5], about: "merchant", id: idOfMerchant(4), kind: "risk" },
  { day: 6, by: merchants[5], about: "agent", id: sampleCounts.agents + 2n, kind: "fulfillment" },
];

/** What attestors and others say about participants on one day of the week. */
export function review({ call }: Batch, today: number): void {
  for (const { by, schema, about } of attestations.filter(({ day }) => day === today))
    if (about)
      call(by.account, "AttestationRegistry", "submitAttestation", [
        hashOf(schema),
        pad(about.account.address, { size: 32 }),
        hashOf(`${schema} of ${about.account.address} on day ${today}`),
      ]);
  for (const { by, about, id, kind } of signals.filter(({ day }) => day === today))
    if (by)
      call(by.account, "CommerceRegistry", "recordTrustSignal", [
        subjects[about],
        id,
        kinds[kind],
        hashOf(`${kind} of ${about} ${id}`),
      ]);
}
