import type { Protocol } from "../protocol";
import { registerAgents } from "./agents";
import { openShops, signalTrust, trade } from "./commerce";
import { pastIntents, presentIntents } from "./intents";
import { attest, registerSolvers, solverAttestation } from "./participants";
import { paymentPolicies, smartAccountPolicies, smartAccountSpending } from "./policies";

const DAY = 86_400;

/** How long before the present the sample's history begins; the chain has to start then. */
export const SAMPLE_HISTORY_SECONDS = 2 * DAY;

/**
 * Lets the protocol live for two days in a few seconds, from {@link SAMPLE_HISTORY_SECONDS} ago until now: every event
 * of it happens at least once, and an intent expires and a spending window rolls over on the way.
 */
export async function sampleActivity(protocol: Protocol, onProgress: (what: string) => void): Promise<void> {
  const { client } = protocol;
  const chainTime = async () => (await client.getBlock()).timestamp;

  onProgress("agents, solvers and attestors");
  await registerAgents(protocol);
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
  await openShops(protocol);
  await trade(protocol, await chainTime());
  await signalTrust(protocol);

  const present = BigInt(Math.floor(Date.now() / 1000));
  if (present > (await chainTime())) await client.setNextBlockTimestamp({ timestamp: present });
  await presentIntents(protocol, present, solverAttestation);
}
