import { type Address, type Hex, zeroAddress } from "viem";
import { type QuoteCommitment, quoteHash } from "../../../common/quote-hash";
import { type Call, call } from "./calls";
import { planSettlement } from "./settlements";
import { anyAmount, anyHash, anyOutsider, anyToken, laterThan } from "./values";
import { type ActionKind, type Merchant, may, nextId, type Quote, type Service, type World } from "./world";

/** The payment rails FACILITATOR and X402. TRANSFER and SWAP need no facilitator. */
export const needsFacilitator = ({ paymentRail }: QuoteCommitment) => paymentRail >= 2;

const isActive = (world: World, address: Address) =>
  world.facilitators.some(({ facilitator, active }) => facilitator === address && active);

const anyAgent = ({ random, participants }: World): Address =>
  (random.chance(0.8) && random.pick(participants)) || anyOutsider(random);

function anyQuote(world: World, { merchant, serviceNumericId }: Service, agent: Address): QuoteCommitment {
  const { random } = world;
  // Small amounts of the native coin, which settlements can pay.
  const isSmall = random.chance(0.5);
  const active = random.pick(world.facilitators.filter((one) => one.active));
  const facilitated = active && random.chance(0.5);
  return {
    merchantId: merchant.merchantId,
    serviceNumericId,
    agent,
    token: isSmall ? zeroAddress : anyToken(random),
    facilitator: facilitated ? active.facilitator : anyOutsider(random),
    amount: isSmall ? BigInt(random.below(5)) : anyAmount(random),
    paymentRail: facilitated ? random.pick([2, 3]) : random.pick([0, 1]),
    expiresAt: laterThan(random, world.now),
    paymentNonce: anyAmount(random),
    resourceHash: anyHash(random),
    termsHash: anyHash(random),
    x402PayloadHash: anyHash(random),
  };
}

const mayCommit = (world: World, owner: Address) => may(world, owner, "CommerceRegistry", "commitQuote");

/** Commits an earlier quote again. `fits` selects it among those that can be committed. */
function commitAgain(world: World, fits: (quote: Quote) => boolean): Call | null {
  const quote = world.random.pick(
    world.quotes.filter(
      (one) =>
        fits(one) &&
        one.commitment.expiresAt > world.now &&
        (!needsFacilitator(one.commitment) || isActive(world, one.commitment.facilitator)) &&
        mayCommit(world, one.merchant.owner),
    ),
  );
  if (!quote) return null;
  quote.settled = false;
  return call(world, quote.merchant.owner, "CommerceRegistry", "commitQuote", [quote.commitment]);
}

/** The accounts that can record a receipt of a quote now. */
function recorders(world: World, { commitment, merchant, settled }: Quote): Address[] {
  if (settled || world.now > commitment.expiresAt) return [];
  if (needsFacilitator(commitment) && !isActive(world, commitment.facilitator)) return [];
  const recorders = needsFacilitator(commitment) ? [commitment.facilitator] : [merchant.owner, commitment.agent];
  return recorders.filter((one) => may(world, one, "CommerceRegistry", "recordReceipt"));
}

/** A kind of new quote, by the agent that is to pay. */
const commitment = (
  name: string,
  weight: number,
  agentOf: (world: World, merchant: Merchant) => Address,
): ActionKind => ({
  name,
  weight,
  act(world) {
    const service = world.random.pick(world.services.filter(({ merchant }) => mayCommit(world, merchant.owner)));
    if (!service) return null;
    const { merchant } = service;
    const commitment = anyQuote(world, service, agentOf(world, merchant));
    world.quotes.push({
      quoteHash: quoteHash(world.chainId, world.contracts.CommerceRegistry, commitment),
      merchant,
      commitment,
      settled: false,
    });
    return call(world, merchant.owner, "CommerceRegistry", "commitQuote", [commitment]);
  },
});

/** A settlement of the quote: an executed one, one that follows the receipt, or none. */
function anyResultHash(world: World, quote: Quote): Hex {
  const { random } = world;
  const executed = random.pick(world.settlements.filter((one) => one.instruction.quoteHash === quote.quoteHash));
  if (executed && random.chance(0.7)) return executed.executionHash;
  const planned = random.chance(0.5) ? planSettlement(world, quote) : null;
  if (!planned) return anyHash(random);
  world.plannedSettlements.push(planned);
  return planned.executionHash;
}

export const quoteActions: ActionKind[] = [
  commitment("commit a quote", 7, anyAgent),
  commitment("commit a quote for the merchant's owner", 1, (_, { owner }) => owner),
  commitment("commit a quote for the merchant's payout address", 1, (_, { payoutAddress }) => payoutAddress),
  {
    name: "commit a settled quote again",
    weight: 2,
    act: (world) => commitAgain(world, ({ settled }) => settled),
  },
  {
    name: "commit an unsettled quote again",
    weight: 1,
    act: (world) => commitAgain(world, ({ settled }) => !settled),
  },
  {
    name: "record a receipt",
    weight: 7,
    act(world) {
      const { random } = world;
      const quote = random.pick(world.quotes.filter((one) => recorders(world, one).length > 0));
      const recorder = quote && random.pick(recorders(world, quote));
      if (!recorder) return null;
      quote.settled = true;
      world.receipts.push({ receiptId: nextId(world.receipts), quote, fulfilled: false });
      const args = [quote.quoteHash, anyResultHash(world, quote)] as const;
      return call(world, recorder, "CommerceRegistry", "recordReceipt", args);
    },
  },
];
