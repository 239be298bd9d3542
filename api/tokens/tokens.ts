import { type Address, zeroAddress } from "viem";
import { steadyTime } from "../../config/steady-time";
import { changeCount, createMinuteCounts } from "../core/minute-counts";
import { createSemaphore } from "../core/semaphore";
import { withDeadline } from "../core/with-deadline";
import type { StoreDatabase } from "../offchain/open";
import { pruneTokens, readTokens, readTokensNamed, type StoredToken, saveToken } from "../offchain/tokens";
import type { TokenFacts } from "./contract";
import type { Token, Tokens } from "./token";

/** Contracts that one call may start to read. */
const MAX_READS_PER_CALL = 20;

/**
 * Contracts that a process reads per minute, and how many of them for one client. Anyone can create tokens, and ask for
 * addresses that are none.
 */
const READS_PER_MINUTE = 120;
const READS_OF_CLIENT_PER_MINUTE = 40;

/** Contracts that are read at a time, how many of them for one client, and how long one waits for its turn. */
const CONCURRENT_READS = 4;
const CONCURRENT_READS_OF_CLIENT = 3;
const TURN_MS = 10_000;

/** The key of the counter of all reads. No client has it. */
const ALL = "";

/** When an address that is not a token is read again: a contract may be deployed there later. */
const UNKNOWN_MS = 60 * 60 * 1_000;

/** When a token whose node did not answer is read again. */
const FAILED_MS = 5_000;

/** Tokens with the same symbol or name that are returned. Any contract can have any symbol. */
const MAX_NAMED = 20;

/** Tokens in memory. */
const MAX_REMEMBERED = 10_000;

type Options = {
  chainId: number;
  /** The curated tokens of this chain. */
  listed: ReadonlyMap<Address, TokenFacts>;
  /** Tokens of the list with this symbol or name, in any case. Default: none. */
  listedAs?: (text: string) => readonly (TokenFacts & { address: Address })[];
  /** The native coin of this chain, which the zero address stands for. */
  native: TokenFacts | undefined;
  /** Reads a contract. Throws if the node does not answer. */
  read: (address: Address) => Promise<TokenFacts>;
  store: () => Promise<StoreDatabase>;
  onError: (error: unknown) => void;
};

/** A token, and when it is looked up again, in milliseconds; undefined if it is known. */
type Remembered = { token: Token; until: number | undefined };

const nothing = { symbol: null, name: null, decimals: null };

/**
 * The tokens of the indexed chain. The list wins over what a contract says about itself. A contract is read once, in the
 * background, and its answer is kept in the store for all processes.
 */
export function createTokens({ chainId, listed, listedAs = () => [], native, read, store, onError }: Options): Tokens {
  const remembered = new Map<Address, Remembered>();
  const reading = new Map<Address, Promise<void>>();
  const turns = createSemaphore(CONCURRENT_READS, CONCURRENT_READS_OF_CLIENT);
  const readsOfMinute = createMinuteCounts();

  const remember = (token: Token, until: number | undefined) => {
    remembered.delete(token.address);
    remembered.set(token.address, { token, until });
    const [oldest] = remembered.keys();
    if (remembered.size > MAX_REMEMBERED && oldest) remembered.delete(oldest);
  };

  const rememberStored = (address: Address, { symbol, name, decimals, retryMs }: StoredToken) =>
    retryMs === null
      ? remember({ address, symbol, name, decimals, source: "contract" }, undefined)
      : remember({ address, ...nothing, source: "unknown" }, steadyTime() + retryMs);

  const pending = (address: Address): Token => ({ address, ...nothing, source: "pending" });

  const recall = (address: Address): Remembered | undefined => {
    const facts = address === zeroAddress ? native : listed.get(address);
    if (facts) {
      const { symbol, name, decimals } = facts;
      return { token: { address, symbol, name, decimals, source: "list" }, until: undefined };
    }
    if (address === zeroAddress) return { token: { address, ...nothing, source: "unknown" }, until: undefined };
    const found = remembered.get(address);
    return found && (found.until === undefined || found.until > steadyTime()) ? found : undefined;
  };

  const readAndSave = async (address: Address, client: string): Promise<void> => {
    try {
      const facts = await turns.run(client, TURN_MS, () => read(address));
      if (!facts) return;
      const isToken = facts.symbol !== null || facts.name !== null || facts.decimals !== null;
      const answer = { ...facts, retryMs: isToken ? null : UNKNOWN_MS };
      const db = await store();
      await saveToken(db, chainId, address, answer);
      if (!isToken) await pruneTokens(db);
      rememberStored(address, answer);
    } catch (error) {
      remember(pending(address), steadyTime() + FAILED_MS);
      onError(error);
    }
  };

  const hasUsedShare = (client: string) =>
    client !== ALL && (readsOfMinute.current().counts.get(client) ?? 0) >= READS_OF_CLIENT_PER_MINUTE;

  /** Starts to read a contract, unless too many were read in this minute: by this process, or for the client. */
  const startReading = (address: Address, client: string): Promise<void> | undefined => {
    const started = reading.get(address);
    if (started) return started;
    const { counts } = readsOfMinute.current();
    if (hasUsedShare(client) || (counts.get(ALL) ?? 0) >= READS_PER_MINUTE) return undefined;
    for (const counted of new Set([ALL, client])) changeCount(counts, counted, 1);
    const read = readAndSave(address, client).finally(() => reading.delete(address));
    reading.set(address, read);
    return read;
  };

  return {
    async named(text) {
      const listedOnes = listedAs(text).map(
        ({ address, symbol, name, decimals }): Token => ({ address, symbol, name, decimals, source: "list" }),
      );
      const rows = await readTokensNamed(await store(), chainId, text, MAX_NAMED);
      const others = rows
        // Texts that a contract has for a listed token are not used.
        .filter(({ address }) => !listed.has(address as Address))
        .map(
          ({ address, symbol, name, decimals }): Token => ({
            address: address as Address,
            symbol,
            name,
            decimals,
            source: "contract",
          }),
        );
      return [...listedOnes, ...others].slice(0, MAX_NAMED);
    },
    async find(addresses, waitMs, caller = { client: ALL }) {
      const { client } = caller;
      const wanted = [...new Set(addresses)];
      const missing = wanted.filter((address) => !recall(address));
      if (missing.length > 0) {
        const stored = await readTokens(await store(), chainId, missing);
        for (const address of missing) {
          const row = stored.get(address);
          if (row) rememberStored(address, row);
        }
        const unread = missing.filter((address) => !recall(address)).slice(0, MAX_READS_PER_CALL);
        const reads = unread.map((address) => startReading(address, client)).filter((started) => started !== undefined);
        // Not an error: what is not read in time is pending.
        if (reads.length > 0) await withDeadline(Promise.all(reads), { ms: waitMs }).catch(() => {});
      }
      const found = wanted.map((address) => recall(address)?.token ?? pending(address));
      if (hasUsedShare(client) && found.some(({ source }) => source === "pending")) caller.isLimited = true;
      return new Map(found.map((token) => [token.address, token]));
    },
  };
}
