import { address } from "../core/inputs";
import { operation, z } from "../core/operation";
import { addressText } from "../core/outputs";
import { MAX_DECIMALS, tokenSources } from "../tokens/token";

/** How long a request waits for the token's contract. */
const WAIT_MS = 2_000;

const Token = z
  .strictObject({
    address: addressText,
    chain_id: z.int().openapi({ example: 31337 }),
    symbol: z.string().nullable().openapi({ example: "tUSD" }),
    name: z.string().nullable().openapi({ example: "Test Dollar" }),
    decimals: z.int().min(0).max(MAX_DECIMALS).nullable().openapi({ example: 6 }),
    source: z.enum(tokenSources).openapi({
      description:
        "Where symbol, name and decimals come from. `list`: our token list, or the native coin (the zero address). `contract`: the token itself, which can claim any name. `unknown`: the address has no contract, or the contract returns no such values. `pending`: not read yet, ask again.",
      example: "list",
    }),
  })
  .openapi("Token");

const getToken = operation({
  route: "GET /tokens/{address}",
  summary: "The symbol, name and decimals of a token.",
  description: "A token on the indexed chain. Unknown tokens have null values.",
  input: z.object({ address }),
  output: Token,
  example: { address: "0x0000000000000000000000000000000000000000" },
  dependsOn: ["time"],
  async run({ tokens, config }, { address }, caller) {
    const found = (await tokens.find([address], WAIT_MS, caller)).get(address);
    if (!found) throw new Error(`The token ${address} was not looked up`);
    return { ...found, chain_id: config.chainId };
  },
});

export const tokens = { get: getToken };
