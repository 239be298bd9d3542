import { pad } from "viem";
import { rowsOnChain } from "../../support/agreement";
import { lower, readChain } from "../../support/agreement/chain";
import type { Row } from "../../support/index-of";
import type { WrittenStack } from "../../support/shared-stack";

/** Dollars of the smallest unit of a token in an hour, in 10^-24 dollars; undefined without a price. */
export type PriceOf = (token: string, hour: string) => bigint | undefined;

const SCALE = 24;

/** An exact number of dollars, rounded half up to 6 decimals, without trailing zeros. */
function dollarText(value: bigint): string {
  const micros = (value + 5n * 10n ** 17n) / 10n ** 18n;
  const digits = String(micros).padStart(7, "0");
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`.replace(/\.?0+$/, "");
}

export const unitPrice = (dollars: string, decimals: number): bigint => {
  const [whole = "", fraction = ""] = dollars.split(".");
  return BigInt(whole + fraction) * 10n ** BigInt(SCALE - fraction.length - decimals);
};

/** The figures of all merchants and agents, computed from the logs and getters of the chain. */
export async function figuresOnChain(stack: WrittenStack, listed: ReadonlySet<string>, priceOf: PriceOf) {
  const rows = await rowsOnChain(stack, 0n);
  const chain = await readChain(stack);
  const { timestamp: now } = await stack.client.getBlock();
  const activeAttestors = new Set(rows.attestor.filter(({ active }) => active).map(({ operator }) => operator));

  function figuresOf(
    kind: "agent" | "merchant",
    key: string,
    owner: string,
    block: string,
    disputes: Row<"dispute">[],
  ) {
    const isOwn = (row: { kind: string; key: string; token: string }) =>
      row.kind === kind && row.key === key && listed.has(row.token);
    const totals = rows.participantTotal.filter(isOwn);
    const sum = (metric: string, column: "count" | "counterparties" | "credit") =>
      totals.filter((row) => row.metric === metric).reduce((total, row) => total + row[column], 0);
    const dollars = rows.participantHour.filter(isOwn).reduce((total, { metric, token, start, amount }) => {
      const value = BigInt(amount) * (priceOf(token, start) ?? 0n);
      return metric === "receipts" ? total + value : metric === "self_receipts" ? total - value : total;
    }, 0n);
    const lost = kind === "agent" ? "REJECTED" : "RESOLVED";
    const subject = pad(lower(owner as `0x${string}`), { size: 32 });
    const attesters = rows.attestation
      .filter((one) => one.subject === subject && !one.revoked && one.attester !== owner)
      .map(({ attester }) => attester)
      .filter((attester) => activeAttestors.has(attester));
    const registeredAt = chain.timeOf(BigInt(block));
    const text = (value: number | bigint) => String(value);
    return {
      attestation_subject: subject,
      receipts: text(sum("receipts", "count") - sum("self_receipts", "count")),
      volume_usd: dollarText(dollars),
      counterparties: text(sum("receipts", "counterparties")),
      credit: text(sum("receipts", "credit")),
      disputes: text(disputes.length),
      open_disputes: text(disputes.filter(({ status }) => status === "OPEN").length),
      lost_disputes: text(disputes.filter(({ status }) => status === lost).length),
      attestors: text(new Set(attesters).size),
      registered_at: registeredAt,
      age_days: text((now - BigInt(registeredAt)) / 86_400n),
    };
  }

  return {
    agents: rows.agent.map(({ agentId, owner, revoked, blockNumber }) => ({
      path: `/agents/${agentId}/reputation`,
      figures: {
        ...figuresOf(
          "agent",
          owner,
          owner,
          blockNumber,
          rows.dispute.filter(({ opener }) => opener === owner),
        ),
        active: !revoked,
      },
    })),
    merchants: rows.merchant.map(({ merchantId, owner, active, blockNumber }) => ({
      path: `/merchants/${merchantId}/reputation`,
      figures: {
        ...figuresOf(
          "merchant",
          merchantId,
          owner,
          blockNumber,
          rows.dispute.filter((one) => one.merchantId === merchantId),
        ),
        active,
      },
    })),
  };
}
