import type { Token } from "../client/src/api";
import { ifAvailable, type OnFailure, type Reads } from "./reads";

/** Stands for the chain's native coin. */
export const NATIVE_COIN = `0x${"0".repeat(40)}`;

/** Tokens that one page names. The amounts of others are shown in their smallest units. */
const MAX_TOKENS = 20;

/** How long a page waits for them. A contract that was never read may take longer, and is named by a later load. */
const WAIT_MS = 500;

/** The fields of the API with a token of the indexed chain. */
export const tokenFields: readonly string[] = ["token", "input_token", "output_token", "price_token"];

/** The distinct tokens in the data of a page, in the order of their appearance. */
export function tokensIn(data: unknown): readonly string[] {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [name, member] of Object.entries(value))
      if (typeof member === "string") {
        if (tokenFields.includes(name) && /^0x[0-9a-f]{40}$/.test(member)) found.add(member);
      } else visit(member);
  };
  visit(data);
  return [...found];
}

/** Resolves to null after a time. */
const timeout = (ms: number) => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const elapsed = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  return { elapsed, cancel: () => clearTimeout(timer) };
};

/** What a client has read. The facts about a token do not change once they are known. */
const knownTokens = new WeakMap<Reads, Map<string, Token>>();

/** Keeps the tokens that are known. */
export function keepTokens(api: Reads, tokens: readonly Token[]): Map<string, Token> {
  const known = knownTokens.get(api) ?? new Map<string, Token>();
  knownTokens.set(api, known);
  for (const token of tokens)
    if (token.source === "list" || token.source === "contract") known.set(token.address, token);
  return known;
}

/** Reads the first tokens. Those that can't be read in time are missing in the result. */
export async function readTokens(
  api: Reads,
  addresses: readonly string[],
  onFailure: OnFailure,
): Promise<readonly Token[]> {
  const known = keepTokens(api, []);
  const { elapsed, cancel } = timeout(WAIT_MS);
  const read = async (address: string): Promise<Token | null> => {
    const token = known.get(address) ?? (await ifAvailable(api.tokens.get.query({ address }), onFailure));
    if (token) keepTokens(api, [token]);
    return token;
  };
  const tokens = await Promise.all(
    addresses.slice(0, MAX_TOKENS).map((address) => Promise.race([read(address), elapsed])),
  );
  cancel();
  return tokens.filter((token) => token !== null);
}
