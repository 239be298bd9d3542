import { type Hex, type Log, parseEventLogs, parseUnits, zeroAddress, zeroHash } from "viem";
import { settlementAdapterAbi } from "../../../abis/index";
import { type QuoteCommitment, quoteHash } from "../../../common/quote-hash";
import type { Contracts } from "../deploy";
import { rails } from "../sample/commerce";
import { sampleCounts } from "../sample/index";
import { hashOf } from "../sample/people";
import type { Batch } from "./batch";
import type { Session } from "./calendar";
import { type Agent, agents, facilitators } from "./cast";
import type { Metadata } from "./metadata";
import { policyFor } from "./policies";
import type { Random } from "./random";
import { type Merchant, merchantIdOf, merchants, type Service, serviceIdOf } from "./shops";

const DAY = 86_400n;

/** How a sale is paid: to the merchant on trust, through the settlement adapter, or through a facilitator. */
type Payment = "transfer" | "settlement" | "facilitator" | "x402";

const payments: readonly { payment: Payment; weight: number }[] = [
  { payment: "x402", weight: 9 },
  { payment: "settlement", weight: 3 },
  { payment: "transfer", weight: 4 },
  { payment: "facilitator", weight: 3 },
];

type Sale = {
  merchant: Merchant;
  service: Service;
  agent: Agent;
  facilitator: (typeof facilitators)[number];
  payment: Payment;
  amount: bigint;
  quoteHash: Hex;
  /** Whether the agent pays. Otherwise the quote expires. */
  isPaid: boolean;
};

export type Sold = Sale & { receiptId: bigint };

const EXPIRING = 0.05;
const FULFILLED = 0.3;

export type SalesFloor = {
  /** Commits the quotes of a session. Some are paid at once through the settlement adapter. */
  open: (batch: Batch, session: Session) => void;
  /** Records the receipts of the session, with the logs of the settlements, and deliveries of the session before. */
  close: (batch: Batch, logs: readonly Log[]) => { sold: readonly Sold[]; documents: string[] };
};

/** The trade of merchants with agents. Its ids follow those of the sample. */
export function salesFloor(
  { contracts, chainId }: { contracts: Contracts; chainId: number },
  metadata: Metadata,
  random: Random,
): SalesFloor {
  const { TestDollar: token, CommerceRegistry } = contracts;
  let nonce = 0n;
  let receiptCount: bigint = sampleCounts.receipts;
  let offered: Sale[] = [];
  let undelivered: readonly Sold[] = [];

  function commit({ call }: Batch, { opensAt, day }: Session): Sale {
    const merchant = random.pick(merchants, ({ sales }) => sales);
    const service: Service = random.pick<Service>(merchant.services);
    const agent = random.pick(agents, ({ shops }) => shops);
    const facilitator = random.pick(facilitators);
    const { payment } = random.pick(payments, ({ weight }) => weight);
    const pieces = Math.ceil(random.between(0, 2 + day / 2));
    const amount = parseUnits((service.price * pieces).toFixed(2), 6);
    const needsFacilitator = payment === "facilitator" || payment === "x402";
    const quote: QuoteCommitment = {
      merchantId: merchantIdOf(merchant),
      serviceNumericId: serviceIdOf(service),
      agent: agent.account.address,
      ...{ token, amount, expiresAt: opensAt + DAY, paymentNonce: ++nonce },
      facilitator: needsFacilitator ? facilitator.account.address : zeroAddress,
      paymentRail: rails[payment === "settlement" ? "transfer" : payment],
      resourceHash: hashOf(`${service.id} ${pieces}`),
      termsHash: metadata.ofMerchant(merchant).hash,
      x402PayloadHash: payment === "x402" ? hashOf(`payload ${nonce}`) : zeroHash,
    };
    call(merchant.account, "CommerceRegistry", "commitQuote", [quote]);
    const isPaid = payment === "settlement" || !random.chance(EXPIRING);
    const hash = quoteHash(chainId, CommerceRegistry, quote);
    return { merchant, service, agent, facilitator, payment, amount, quoteHash: hash, isPaid };
  }

  /** The agent pays the merchant through the adapter, which proves the payment. */
  function pay({ call }: Batch, { agent, merchant, amount, quoteHash }: Sale, deadline: bigint): void {
    const line = { kind: 0, recipient: merchant.account.address, token, amount, metadataHash: hashOf("price") };
    call(agent.account, "SettlementAdapter", "executeSettlement", [
      {
        ...{ quoteHash, payer: agent.account.address, token, grossAmount: amount, deadline, lines: [line] },
        settlementPlanHash: hashOf(`plan ${quoteHash}`),
      },
    ]);
  }

  /** Records a receipt as the one who may: the facilitator, the agent that has paid, or the merchant. */
  function record({ call }: Batch, sale: Sale, proof: Hex | undefined): Sold {
    const { agent, merchant, facilitator, payment, amount, quoteHash } = sale;
    const recorders = { x402: facilitator, facilitator, settlement: agent, transfer: merchant };
    const result = proof ?? hashOf(`paid ${quoteHash}`);
    call(recorders[payment].account, "CommerceRegistry", "recordReceipt", [quoteHash, result]);
    const policy = payment === "x402" ? policyFor(agent, merchant, facilitator) : undefined;
    if (policy && amount <= parseUnits(String(policy.perPayment), 6)) {
      const pair = [merchant.account.address, token, facilitator.account.address] as const;
      call(agent.account, "PolicyModule", "recordSignedPayment", [...pair, amount, hashOf(`payment ${quoteHash}`)]);
    }
    return { ...sale, receiptId: ++receiptCount };
  }

  function deliver({ call }: Batch, { merchant, service, receiptId }: Sold): string {
    const document = JSON.stringify({ type: "delivery", receipt_id: String(receiptId), delivered: service.name });
    call(merchant.account, "CommerceRegistry", "recordFulfillment", [receiptId, hashOf(document)]);
    return document;
  }

  return {
    open(batch, session) {
      offered = Array.from({ length: session.sales }, () => commit(batch, session));
      for (const sale of offered) if (sale.payment === "settlement") pay(batch, sale, session.opensAt + DAY);
    },
    close(batch, logs) {
      const settled = parseEventLogs({ abi: settlementAdapterAbi, eventName: "SettlementExecuted", logs: [...logs] });
      const proofs = new Map(settled.map(({ args }) => [args.quoteHash, args.executionHash]));
      const sold = offered
        .filter(({ isPaid }) => isPaid)
        .map((sale) => record(batch, sale, proofs.get(sale.quoteHash)));
      const documents = undelivered.filter(() => random.chance(FULFILLED)).map((sale) => deliver(batch, sale));
      undelivered = sold;
      return { sold, documents };
    },
  };
}
