import type { Protocol } from "../protocol";
import { registerAgents } from "./agents";
import { recordSales, recordTrustSignals, registerMerchants } from "./commerce";
import { pastIntents, presentIntents } from "./intents";
import { metadataAt } from "./metadata";
import { attest, registerSolvers, solverAttestation } from "./participants";
import { paymentPolicies, smartAccountPolicies, smartAccountSpending } from "./policies";

const DAY = 86_400;

/** The age of the sample's first block. The chain must start this long ago. */
export const SAMPLE_HISTORY_SECONDS = 2 * DAY;

/** The records that the sample adds. Their ids begin with 1. */
export const sampleCounts = {
  ...{ agents: 4n, merchants: 2n, services: 3n, facilitators: 1n },
  ...{ intents: 6n, receipts: 4n, disputes: 3n, attestations: 3n },
} as const;

/**
 * Simulates two days of activity, from {@link SAMPLE_HISTORY_SECONDS} before the present until then. Every protocol event
 * occurs at least once. One intent expires, and one spend window rolls over. `baseUrl` is that of the service that publishes
 * the metadata.
 */
export async function sampleActivity(
  protocol: Protocol,
  baseUrl: string,
  onProgress: (what: string) => void,
  present: bigint = BigInt(Math.floor(Date.now() / 1000)),
): Promise<void> {
  const { client } = protocol;
  const metadata = metadataAt(baseUrl);
  const chainTime = async () => (await client.getBlock()).timestamp;

  onProgress("agents, solvers and attestors");
  await registerAgents(protocol, metadata);
  await registerSolvers(protocol);
  await attest(protocol);
  onProgress("policies and spending");
  await smartAccountPolicies(protocol);
  await smartAccountSpending(protocol, "60");
  onProgress("intents, bids and fills");
  await pastIntents(protocol, await chainTime());

  await client.increaseTime({ seconds: DAY });
  await smartAccountSpending(protocol, "25");
  await paymentPolicies(protocol);
  onProgress("merchants, quotes, receipts and disputes");
  await registerMerchants(protocol, metadata);
  await recordSales(protocol, await chainTime());
  await recordTrustSignals(protocol);

  if (present > (await chainTime())) await client.setNextBlockTimestamp({ timestamp: present });
  await presentIntents(protocol, present, solverAttestation);
}
