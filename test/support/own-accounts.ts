import { keccak256, parseEther, stringToHex } from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import type { ChainConnection } from "../../stack/local/chain";

/** An account that only one test file uses. */
export const ownAccount = (name: string): PrivateKeyAccount => privateKeyToAccount(keccak256(stringToHex(name)));

/** Gives the accounts gas. */
export async function fund(client: ChainConnection, ...accounts: PrivateKeyAccount[]): Promise<void> {
  for (const { address } of accounts) await client.setBalance({ address, value: parseEther("100") });
}
