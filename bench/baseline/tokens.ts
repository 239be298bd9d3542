import type { Token } from "../../api/tokens/token";
import { chains } from "../../config/chains";
import { query } from "./database";
import { chainId, listedTokens } from "./deployment";

const native = { ...chains.local.native, address: `0x${"00".repeat(20)}` as const };

const listed = new Map<string, Token>(
  [native, ...listedTokens].map((token) => [
    token.address,
    {
      address: token.address,
      symbol: token.symbol,
      name: token.name,
      decimals: token.decimals,
      source: "list",
    },
  ]),
);

/** The tokens of the list, and those whose contracts the gateway has read. */
export async function findTokens(addresses: readonly string[]): Promise<Map<string, Token>> {
  const stored = await query<Token>(
    `SELECT address, symbol, name, decimals, CASE WHEN retry_at IS NULL THEN 'contract' ELSE 'unknown' END AS source
     FROM offchain.token WHERE chain_id = $1 AND address = ANY ($2::text[])`,
    [chainId, addresses],
  );
  return new Map([...stored.map((token): [string, Token] => [token.address, token]), ...listed]);
}
