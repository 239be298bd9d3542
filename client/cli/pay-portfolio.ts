import type { Address, Hex, LocalAccount } from "viem";
import { mnemonicToAccount, privateKeyToAccount } from "viem/accounts";
import { createIntentryClient, IntentryError } from "../src/index";
import { Failure, unreachable } from "./failure";

const LOCAL_CHAIN_ID = 31_337;

/** Anvil's account 9, whose private key is public. The local stack mints test dollars for it. */
const demoPayer = () =>
  mnemonicToAccount("test test test test test test test test test test test junk", { addressIndex: 9 });

/** The transaction is undefined if nothing was paid. */
type Bought = { snapshot: unknown; payer: Address; transaction: string | undefined };

type Purchase = { url: string; address: Address; chains: string | undefined; key: Hex | undefined };

function payerOf(key: Hex | undefined, isLocal: boolean): LocalAccount {
  if (key !== undefined) return privateKeyToAccount(key);
  if (isLocal) return demoPayer();
  throw new Failure("No payer: set INTENTRY_PAYER_KEY to the payer's private key", "payer_missing");
}

/** Buys a portfolio with x402. */
export async function payPortfolio({ url, address, chains, key }: Purchase): Promise<Bought> {
  const service = createIntentryClient({ url });
  const { chain_id } = await service.protocol().catch((error: unknown) => {
    throw unreachable(url, error);
  });
  const isLocal = chain_id === LOCAL_CHAIN_ID;
  const payer = payerOf(key, isLocal);
  const shown = chains ?? (isLocal ? "local" : undefined);
  const intentry = createIntentryClient({ url, payer });
  try {
    const { snapshot, payment } = await intentry.portfolio(address, { chains: shown?.split(",") });
    return { snapshot, payer: payer.address, transaction: payment?.transaction };
  } catch (error) {
    if (error instanceof IntentryError) throw new Failure(error.message, error.code);
    throw new Failure(`Buying the portfolio failed: ${error instanceof Error ? error.message : error}`, "failed");
  }
}
