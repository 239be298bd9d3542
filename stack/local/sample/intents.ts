import { parseUnits } from "viem";
import { signIntent } from "../../../client/src/intents";
import { anyExecution, type SignableIntent } from "../../../common/intent";
import type { Protocol } from "../protocol";
import { hashOf, people } from "./people";

const { alice, bob, swiftSolver, thriftySolver } = people;

const HOUR = 3_600n;

type IntentOptions = {
  owner: (typeof people)[keyof typeof people];
  deadline: bigint;
  nonce: bigint;
  execution?: Partial<SignableIntent["execution"]>;
};

const usd = (amount: string) => parseUnits(amount, 6);

/** Signs and submits an intent to swap 1,000 test dollars for at least 950 of another token. */
async function submit(
  { client, write, contracts }: Protocol,
  { owner, deadline, nonce, execution }: IntentOptions,
): Promise<void> {
  const intent: SignableIntent = {
    owner: owner.address,
    intentType: 0,
    constraints: { amountInMax: usd("1000"), amountOutMin: usd("950"), deadline, slippageBps: 50 },
    execution: { ...anyExecution, ...execution },
    inputToken: contracts.TestDollar,
    outputToken: "0x00000000000000000000000000000000000a11ce",
    nonce,
  };
  await write(
    owner,
    "IntentBook",
    "submitIntent",
    await signIntent(owner, intent, { intentBook: contracts.IntentBook, chainId: client.chain.id }),
  );
}

type BidOptions = {
  amountIn: string;
  amountOut: string;
  fee: string;
  validUntil: bigint;
  executionHash?: `0x${string}`;
};

const bid = (
  { write }: Protocol,
  solver: IntentOptions["owner"],
  intentId: bigint,
  { amountIn, amountOut, fee, validUntil, executionHash = hashOf("route") }: BidOptions,
) =>
  write(solver, "IntentBook", "submitBid", [
    intentId,
    usd(amountIn),
    usd(amountOut),
    usd(fee),
    validUntil,
    executionHash,
  ]);

const fill = (
  { write }: Protocol,
  solver: IntentOptions["owner"],
  intentId: bigint,
  amountIn: string,
  amountOut: string,
  attestationId = 0n,
) =>
  write(solver, "IntentBook", "fillIntent", [
    intentId,
    {
      amountIn: usd(amountIn),
      amountOut: usd(amountOut),
      solver: solver.address,
      executionData: "0x",
      resultHash: hashOf(`result ${intentId}`),
      traceHash: hashOf(`trace ${intentId}`),
      attestationId,
    },
  ]);

/** Intents of two days ago: one filled after its owner selected another bid, one cancelled, and one that expires. */
export async function pastIntents(protocol: Protocol, now: bigint): Promise<void> {
  const { write } = protocol;
  const deadline = now + 12n * HOUR;
  const offer = { fee: "1", validUntil: deadline - HOUR };

  await submit(protocol, { owner: alice, deadline, nonce: 1n });
  await bid(protocol, swiftSolver, 1n, { ...offer, amountIn: "1000", amountOut: "955" });
  await bid(protocol, thriftySolver, 1n, { ...offer, amountIn: "990", amountOut: "970" });
  await write(alice, "IntentBook", "selectBid", [1n, 1n]);
  await write(alice, "IntentBook", "selectBid", [1n, 2n]);
  await fill(protocol, thriftySolver, 1n, "990", "970");

  await submit(protocol, { owner: bob, deadline, nonce: 1n });
  await bid(protocol, swiftSolver, 2n, { ...offer, amountIn: "1000", amountOut: "951" });
  await write(bob, "IntentBook", "selectBid", [2n, 1n]);
  await write(bob, "IntentBook", "cancelIntent", [2n]);

  await submit(protocol, { owner: alice, deadline, nonce: 2n });
  await bid(protocol, swiftSolver, 3n, { ...offer, amountIn: "1000", amountOut: "960" });
  await write(alice, "IntentBook", "selectBid", [3n, 1n]);
}

/** Intents of today: one filled with a required attestation and a committed execution, and two open ones. */
export async function presentIntents(
  protocol: Protocol,
  now: bigint,
  attestation: { id: bigint; subject: `0x${string}`; schema: `0x${string}` },
): Promise<void> {
  const { write } = protocol;
  const deadline = now + 30n * 24n * HOUR;
  const offer = { fee: "0.5", validUntil: deadline - HOUR };

  await submit(protocol, {
    owner: bob,
    deadline,
    nonce: 2n,
    execution: {
      dataHash: hashOf("committed route"),
      requiredAttestationSubject: attestation.subject,
      requiredAttestationSchema: attestation.schema,
    },
  });
  await bid(protocol, swiftSolver, 4n, {
    ...offer,
    amountIn: "995",
    amountOut: "965",
    executionHash: hashOf("committed route"),
  });
  await write(bob, "IntentBook", "selectBid", [4n, 1n]);
  await fill(protocol, swiftSolver, 4n, "995", "965", attestation.id);

  await submit(protocol, { owner: alice, deadline, nonce: 3n });
  await bid(protocol, swiftSolver, 5n, { ...offer, amountIn: "1000", amountOut: "958" });
  await bid(protocol, thriftySolver, 5n, { ...offer, amountIn: "999", amountOut: "958" });
  await bid(protocol, thriftySolver, 5n, { ...offer, amountIn: "1000", amountOut: "962" });

  await submit(protocol, { owner: bob, deadline, nonce: 3n });
}
