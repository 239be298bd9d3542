import { type Address, erc20Abi, type PublicClient } from "viem";
import type { Chain } from "../../../../config/chains";
import type { ListedToken, PriceFeed, TokenList } from "../../../../config/token-list";
import { type Decimal, times as multiplied } from "../../decimal";
import type { Holding } from "../../provider";
import { answerOf, isSequencerUp, priceFeedAbi, type Times } from "./price-feeds";

/** The parameters of a read: one address on one chain at one block. */
type ReadRequest = {
  client: PublicClient;
  chain: Chain;
  list: TokenList;
  address: Address;
  blockNumber: bigint;
  times: Times;
  /** Logs a failed read. */
  logFailure: (what: string, error: unknown) => void;
};

type Found = { holdings: Holding[]; complete: boolean; warnings: string[] };

/** A balance. `token` is null for the native coin. */
type Balance = { token: ListedToken | null; rawBalance: bigint };

/** Reads the non-zero balances of the address, and their prices. */
export async function readHoldings(request: ReadRequest): Promise<Found> {
  const { chain, list } = request;
  const { balances, unread } = await readBalances(request);
  const held = balances.filter(({ rawBalance }) => rawBalance > 0n);
  const feedsOf = (token: ListedToken | null) => (token ? token.feeds : list.native);
  const { answers, warnings } = await readAnswers(request, uniqueFeeds(held.flatMap(({ token }) => feedsOf(token))));
  if (unread.length > 0) warnings.push(`the balance of ${unread.join(", ")} could not be read and is left out`);

  const holdings = held.map(({ token, rawBalance }): Holding => {
    const { symbol, name, decimals } = token ?? chain.native;
    const price = priceOf(feedsOf(token), answers);
    const { address: contract = null, logo = null, stablecoin = false } = token ?? {};
    return { contract, symbol, name, decimals, logo, rawBalance, price, stablecoin };
  });
  const unpriced = held.flatMap(({ token }, index) =>
    feedsOf(token).length > 0 && !holdings[index]?.price ? symbolOf(request, token) : [],
  );
  if (unpriced.length > 0) warnings.push(`the price of ${unpriced.join(", ")} could not be read or is out of date`);
  return { holdings, complete: unread.length === 0, warnings };
}

const symbolOf = ({ chain }: ReadRequest, token: ListedToken | null) => (token ?? chain.native).symbol;

const uniqueFeeds = (feeds: PriceFeed[]) => [...new Map(feeds.map((feed) => [feed.address, feed])).values()];

/** The product of the feeds' answers. Null without feeds, or if a feed has no trusted answer. */
function priceOf(feeds: readonly PriceFeed[], answers: ReadonlyMap<Address, Decimal>): Decimal | null {
  const found = feeds.flatMap(({ address }) => answers.get(address) ?? []);
  return found.length === feeds.length && found.length > 0 ? found.reduce(multiplied) : null;
}

/** Call data bytes per Multicall3 call: about fifty balances. */
const MULTICALL_BYTES = 2_048;

/** Options of a multicall at the requested block. Without a deployed Multicall3, viem sends its bytecode with the call. */
const multicallOptions = ({ chain: { multicall3 }, blockNumber }: ReadRequest) => ({
  blockNumber,
  batchSize: MULTICALL_BYTES,
  ...(multicall3 ? { multicallAddress: multicall3 } : { deployless: true }),
});

/** Reads the balances. Returns the symbols of those that failed. Throws the first error if all failed. */
async function readBalances(request: ReadRequest): Promise<{ balances: Balance[]; unread: string[] }> {
  const { client, list, address, blockNumber, logFailure } = request;
  const [[native], results] = await Promise.all([
    Promise.allSettled([client.getBalance({ address, blockNumber })]),
    client.multicall({
      ...multicallOptions(request),
      contracts: list.tokens.map(
        (token) => ({ abi: erc20Abi, address: token.address, functionName: "balanceOf", args: [address] }) as const,
      ),
    }),
  ]);
  const balances: Balance[] = [];
  const failed: { token: ListedToken | null; error: unknown }[] = [];
  if (native.status === "fulfilled") balances.push({ token: null, rawBalance: native.value });
  else failed.push({ token: null, error: native.reason });
  for (const [index, token] of list.tokens.entries()) {
    const balance = results[index];
    if (balance?.status === "success") balances.push({ token, rawBalance: balance.result });
    else failed.push({ token, error: balance?.error });
  }
  const [first] = failed;
  if (first && balances.length === 0) throw first.error;
  const unread = failed.map(({ token }) => symbolOf(request, token));
  if (first) logFailure(`the balance of ${unread.join(", ")}`, first.error);
  return { balances, unread };
}

/** Reads the trusted answers by feed address. Returns none while a rollup's sequencer is down. */
async function readAnswers(
  request: ReadRequest,
  feeds: readonly PriceFeed[],
): Promise<{ answers: ReadonlyMap<Address, Decimal>; warnings: string[] }> {
  const { client, list, times, logFailure } = request;
  const answers = new Map<Address, Decimal>();
  if (feeds.length === 0) return { answers, warnings: [] };
  const addresses = feeds.map(({ address }) => address);
  const [rounds, decimals] = await Promise.all([
    client.multicall({
      ...multicallOptions(request),
      contracts: [...addresses, ...(list.sequencer ? [list.sequencer] : [])].map(
        (address) => ({ abi: priceFeedAbi, address, functionName: "latestRoundData" }) as const,
      ),
    }),
    client.multicall({
      ...multicallOptions(request),
      contracts: addresses.map((address) => ({ abi: priceFeedAbi, address, functionName: "decimals" }) as const),
    }),
  ]);
  const uptime = rounds[feeds.length];
  if (list.sequencer && (uptime?.status !== "success" || !isSequencerUp(uptime.result, times))) {
    logFailure("the sequencer's uptime", uptime?.error ?? "down, or just back");
    return { answers, warnings: ["the sequencer has not been up for the last hour, so prices are left out"] };
  }
  for (const [index, { address, maxAgeSeconds }] of feeds.entries()) {
    const [round, places] = [rounds[index], decimals[index]];
    if (round?.status === "success" && places?.status === "success") {
      const answer = answerOf(round.result, places.result, maxAgeSeconds, times);
      if (answer) answers.set(address, answer);
    } else logFailure(`the feed ${address}`, round?.error ?? places?.error);
  }
  return { answers, warnings: [] };
}
