import { createExplorerClient } from "../client";
import { CopyButton } from "../components/copy-button";
import { Transaction } from "../components/values";
import { type InjectedWallet, untilMined } from "./injected-wallet";

const POLL_MS = 1_000;

/** A transaction that the wallet has sent. */
export type Sent = {
  hash: string;
  /** `silent`: it is in a block, but has no events of the protocol. `unknown`: the wallet can't tell. */
  state: "sent" | "mined" | "indexed" | "silent" | "reverted" | "unknown";
};

const stateTexts: Readonly<Record<Sent["state"], string>> = {
  sent: "Sent. Waiting until it is in a block.",
  mined: "In a block. Waiting until it is indexed.",
  indexed: "In a block, and indexed.",
  silent: "In a block. It has no events of the protocol, so it has no page here.",
  reverted: "It is in a block, but it failed there.",
  unknown: "Sent. It has a page here once it is indexed.",
};

/** States after which the next transaction may be sent. */
export const isOver = ({ state }: Sent) => state !== "sent" && state !== "reverted";

/** Follows a transaction until it is indexed. */
export async function followTransaction(
  wallet: InjectedWallet,
  hash: string,
  signal: AbortSignal,
  onState: (state: Sent["state"]) => void,
): Promise<void> {
  const mined = await untilMined(wallet, hash, signal);
  if (!mined) return onState("unknown");
  if (!mined.ok) return onState("reverted");
  onState("mined");
  const client = createExplorerClient(location.origin);
  const { contracts } = await client.status.protocol.query();
  if (!Object.values(contracts).some((contract) => contract !== null && mined.emitters.includes(contract)))
    return onState("silent");
  while (!signal.aborted) {
    const { block_number } = await client.status.ready.query();
    if (block_number !== null && BigInt(block_number) >= mined.block) return onState("indexed");
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** What has been sent or signed. */
export function Done({
  sent,
  signature,
  next,
}: {
  sent: readonly Sent[];
  signature: string | undefined;
  next: string | null;
}) {
  return (
    <>
      {sent.map(({ hash, state }) => (
        <p key={hash} class={state === "reverted" ? "notice bad" : "notice good"} data-sent={state}>
          {state === "indexed" || state === "unknown" ? (
            <Transaction value={hash} full />
          ) : (
            <span class="hex full">
              <code>{hash}</code>
            </span>
          )}{" "}
          {stateTexts[state]}
        </p>
      ))}
      {signature !== undefined && (
        <p class="notice good" data-signature={signature}>
          Signed:{" "}
          <span class="hex full">
            <code>{signature}</code>
            <CopyButton text={signature} />
          </span>
        </p>
      )}
      {next !== null && <p class="note">{next}</p>}
    </>
  );
}
