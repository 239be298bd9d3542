import { createTestClient, type Hex, http, publicActions, walletActions } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { anvil as anvilChain } from "viem/chains";
import { type Child, startChild, waitFor } from "./child";
import { findFoundry } from "./foundry";

/** The accounts that every anvil funds; their keys are public and worth nothing anywhere else. */
const MNEMONIC = "test test test test test test test test test test test junk";

/** One of anvil's ten accounts. */
export const actor = (index: number) => mnemonicToAccount(MNEMONIC, { addressIndex: index });

export type ChainConnection = ReturnType<typeof connect>;

/** A client that reads, signs and turns anvil's knobs. */
export const connect = (rpcUrl: string) =>
  createTestClient({
    chain: anvilChain,
    mode: "anvil",
    transport: http(rpcUrl, { retryCount: 0, timeout: 30_000 }),
    pollingInterval: 20,
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(walletActions);

export type LocalChain = { rpcUrl: string; child: Child; client: ChainConnection };

type Options = {
  port: number;
  /** Unix seconds of the first block; unset, the present. */
  startTime?: number;
};

/** Starts anvil with a fresh chain and waits until it answers. */
export async function startChain({ port, startTime }: Options): Promise<LocalChain> {
  const anvil = await findFoundry("anvil");
  const child = startChild({
    name: "anvil",
    command: anvil,
    args: [
      ["--host", "127.0.0.1"],
      ["--port", String(port)],
      ["--chain-id", String(anvilChain.id)],
      ["--mnemonic", MNEMONIC],
      ["--accounts", "20"],
      ["--timestamp", String(startTime ?? Math.floor(Date.now() / 1000))],
      ["--code-size-limit", "100000"],
      ["--gas-limit", "100000000"],
    ].flat(),
  });
  const rpcUrl = `http://127.0.0.1:${port}`;
  const client = connect(rpcUrl);
  await waitFor(child, "answer from the chain", async () => (await client.getChainId()) === anvilChain.id || undefined);
  return { rpcUrl, child, client };
}

/** Sends a transaction and waits until it is mined; a revert is an error. */
export async function mined(client: ChainConnection, hash: Promise<Hex>) {
  const receipt = await client.waitForTransactionReceipt({ hash: await hash });
  if (receipt.status !== "success") throw new Error(`Transaction ${receipt.transactionHash} reverted`);
  return receipt;
}
