import { maxUint256, zeroHash } from "viem";
import { signIntent } from "../../../client/src/intents";
import { anySchema, anySubject } from "./attestations";
import { call } from "./calls";
import type { Random } from "./random";
import { amountUpTo, anyAmount, anyHash, anyOutsider, anyToken, laterThan } from "./values";
import { type ActionKind, anySender, type Intent, may, nextId, type World } from "./world";

/** An unused nonce of the owner: edge values first, then random ones. */
function unusedNonce({ intents, random }: World, owner: string): bigint {
  const used = new Set(intents.filter((intent) => intent.owner === owner).map(({ nonce }) => nonce));
  for (;;) {
    const nonce = random.pick([0n, maxUint256, BigInt(random.below(10)), anyAmount(random)]);
    if (!used.has(nonce)) return nonce;
  }
}

/** The execution requirements. Mostly few, so that many intents can be filled. */
const anyRequirements = (random: Random) => ({
  target: anyOutsider(random),
  dataHash: random.chance(0.6) ? zeroHash : anyHash(random),
  requiredAttestationSubject: random.chance(0.7) ? zeroHash : anySubject(random),
  requiredAttestationSchema: random.chance(0.7) ? zeroHash : anySchema(random),
  metadataURIHash: anyHash(random),
});

const submitIntent: ActionKind = {
  name: "submit an intent",
  weight: 10,
  async act(world) {
    const { random, now, contracts, chainId } = world;
    const relayer = anySender(world, "IntentBook", "submitIntent");
    if (!relayer) return null;
    const signer = random.pick(world.wallets);
    const owner = signer.address;
    const constraints = {
      amountInMax: anyAmount(random),
      amountOutMin: anyAmount(random),
      deadline: laterThan(random, now),
      slippageBps: random.pick([0, 50, 10_000]),
    };
    const execution = anyRequirements(random);
    const nonce = unusedNonce(world, owner);
    const tokens = { inputToken: anyToken(random), outputToken: anyToken(random) };
    world.intents.push({
      intentId: nextId(world.intents),
      owner,
      nonce,
      ...constraints,
      dataHash: execution.dataHash,
      requiredSubject: execution.requiredAttestationSubject,
      requiredSchema: execution.requiredAttestationSchema,
      open: true,
      bids: [],
      selected: null,
    });
    const intent = { owner, intentType: 0, constraints, execution, ...tokens, nonce };
    const args = await signIntent(signer, intent, { intentBook: contracts.IntentBook, chainId });
    return call(world, relayer, "IntentBook", "submitIntent", args);
  },
};

const cancelIntent: ActionKind = {
  name: "cancel an intent",
  weight: 2,
  act(world) {
    // Also after its deadline: it is still open on-chain.
    const intent = world.random.pick(
      world.intents.filter(({ open, owner }) => open && may(world, owner, "IntentBook", "cancelIntent")),
    );
    if (!intent) return null;
    intent.open = false;
    return call(world, intent.owner, "IntentBook", "cancelIntent", [intent.intentId]);
  },
};

/** An attestation id for a fill of the intent: any id if none is required, undefined if a required one is missing. */
function attestationFor(
  { attestations, random }: World,
  { requiredSubject, requiredSchema }: Intent,
): bigint | undefined {
  if (requiredSubject === zeroHash && requiredSchema === zeroHash)
    return random.pick([0n, 1n, maxUint256, nextId(attestations)]);
  const fitting = attestations.filter(
    ({ revoked, subject, schema }) =>
      !revoked &&
      (requiredSubject === zeroHash || subject === requiredSubject) &&
      (requiredSchema === zeroHash || schema === requiredSchema),
  );
  return random.pick(fitting)?.attestationId;
}

const fillIntent: ActionKind = {
  name: "fill an intent",
  weight: 12,
  act(world) {
    const { random, now } = world;
    const fillable = world.intents.flatMap((intent) => {
      const { selected: bid, dataHash } = intent;
      if (!bid || !intent.open || now >= intent.deadline || now > bid.validUntil) return [];
      if (dataHash !== zeroHash && dataHash !== bid.executionHash) return [];
      if (!may(world, bid.solver, "IntentBook", "fillIntent")) return [];
      const attestationId = attestationFor(world, intent);
      return attestationId === undefined ? [] : [{ intent, bid, attestationId }];
    });
    const chosen = random.pick(fillable);
    if (!chosen) return null;
    const { intent, bid, attestationId } = chosen;
    intent.open = false;
    world.fillers.add(bid.solver);
    const { amountIn, amountOut, solver } = bid;
    const proof = { executionData: anyHash(random), resultHash: anyHash(random), traceHash: anyHash(random) };
    const fill = { amountIn, amountOut, solver, ...proof, attestationId };
    return call(world, solver, "IntentBook", "fillIntent", [intent.intentId, fill]);
  },
};

const submitBid: ActionKind = {
  name: "bid on an intent",
  weight: 10,
  act(world) {
    const { random, now } = world;
    const solver = anySender(world, "IntentBook", "submitBid");
    const biddable = world.intents.filter(({ open, deadline }) => open && now < deadline);
    const withoutBids = biddable.filter(({ bids }) => bids.length === 0);
    const intent = (random.chance(0.5) && random.pick(withoutBids)) || random.pick(biddable);
    if (!solver || !intent) return null;
    const { amountInMax, amountOutMin, deadline, dataHash, bids } = intent;
    const later = laterThan(random, now);
    const bid = {
      bidId: nextId(bids),
      solver,
      amountIn: amountUpTo(random, amountInMax),
      amountOut: amountOutMin + amountUpTo(random, maxUint256 - amountOutMin),
      validUntil: later > deadline || random.chance(0.5) ? deadline : later,
      executionHash: random.chance(0.75) ? dataHash : anyHash(random),
      wasSelected: false,
    };
    bids.push(bid);
    const { amountIn, amountOut, validUntil, executionHash } = bid;
    const args = [intent.intentId, amountIn, amountOut, anyAmount(random), validUntil, executionHash] as const;
    return call(world, solver, "IntentBook", "submitBid", args);
  },
};

/** A kind of selection: a bid of an open intent for which `fits` is true, also after the deadline. */
const selection = (
  name: string,
  weight: number,
  fits: (bid: Intent["bids"][number], intent: Intent) => boolean,
): ActionKind => ({
  name,
  weight,
  act(world) {
    const choices = world.intents
      .filter(({ open, owner }) => open && may(world, owner, "IntentBook", "selectBid"))
      .flatMap((intent) => intent.bids.filter((bid) => fits(bid, intent)).map((bid) => ({ intent, bid })));
    const chosen = world.random.pick(choices);
    if (!chosen) return null;
    const { intent, bid } = chosen;
    intent.selected = bid;
    bid.wasSelected = true;
    return call(world, intent.owner, "IntentBook", "selectBid", [intent.intentId, bid.bidId]);
  },
});

export const intentActions: ActionKind[] = [
  submitIntent,
  cancelIntent,
  submitBid,
  selection("select a first bid", 10, (_, { selected }) => selected === null),
  selection("select another bid", 4, (bid, { selected }) => selected !== null && !bid.wasSelected),
  selection("select the selected bid again", 1, (bid, { selected }) => selected === bid),
  selection("return to a bid selected before", 2, (bid, { selected }) => bid.wasSelected && selected !== bid),
  fillIntent,
];
