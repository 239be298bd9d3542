/** Receipts of one counterparty by the proof of their payment. */
export type ProvenReceipts = { settlements: number; facilitated: number; claims: number; isSelf: boolean };

/** The credit of one receipt by the proof of its payment, and the most that one counterparty gives in one token. */
export const creditRules = { settlement: 10, facilitator: 6, claim: 1, maximum: 30 } as const;

/**
 * The credit that the receipts of one counterparty give. Many receipts of one counterparty give less than as many counterparties.
 *
 * @example
 * creditOf({ settlements: 2, facilitated: 0, claims: 3, isSelf: false }) // 23
 */
export const creditOf = ({ settlements, facilitated, claims, isSelf }: ProvenReceipts): number =>
  isSelf
    ? 0
    : Math.min(
        creditRules.maximum,
        settlements * creditRules.settlement + facilitated * creditRules.facilitator + claims * creditRules.claim,
      );
