import { type Address, erc20Abi, type PublicClient } from "viem";
import type { Chain } from "../../../../config/chains";
import type { Feed, ListedToken, TokenList } from "../../../../config/token-list";
import { type Decimal, times as multiplied } from "../../decimal";
import type { Holding } from "../../provider";
import { answerOf, feedAbi, isSequencerUp, type Times } from "./feeds";

/** What is to be read, and where: a chain as of one block. */
type Reading = {
  client: PublicClient;
  chain: Chain;
  list: TokenList;
  address: Address;
  blockNumber: bigint;
  times: Times;
  /** Takes what could not be read, for the log. */
  note: (what: string, error: unknown) => void;
};

type Found = { holdings: Holding[]; complete: boolean; warnings: string[] };

/** A balance; of the native coin where there is no token. */
type Balance = { token: ListedToken | null; rawBalance: bigint };

/** Reads what the address holds, and the prices of it. What is zero is left out. */
export async function readHoldings(reading: Reading): Promise<Found> {
  const { chain, list } = reading;
  const { balances, unread } = await readBalances(reading);
  const held = balances.filter(({ rawBalance }) => rawBalance > 0n);
  const feedsOf = (token: ListedToken | null) => (token ? token.feeds : list.native);
  const { answers, warnings } = await readAnswers(reading, uniqueFeeds(held.flatMap(({ token }) => feedsOf(token))));
  if (unread.length > 0) warnings.push(`the balance of ${unread.join(", ")} could not be read, and is left out`);

  const holdings = held.map(({ token, rawBalance }): Holding => {
    const { symbol, name, decimals } = token ?? chain.native;
    const price = priceOf(feedsOf(token), answers);
    const { address: contract = null, logo = null, stablecoin = false } = token ?? {};
    return { contract, symbol, name, decimals, logo, rawBalance, price, stablecoin };
  });
  const unpriced = held.flatMap(({ token }, index) =>
    feedsOf(token).length > 0 && !holdings[index]?.price ? symbolOf(reading, token) : [],
  );
  if (unpriced.length > 0) warnings.push(`the price of ${unpriced.join(", ")} could not be read, or is out of date`);
  return { holdings, complete: unread.length === 0, warnings };
}

const symbolOf = ({ chain }: Reading, token: ListedToken | null) => (token ?? chain.native).symbol;

const uniqueFeeds = (feeds: Feed[]) => [...new Map(feeds.map((feed) => [feed.address, feed])).values()];

/** The product of the feeds' answers; null without feeds, and where one has no answer. */
function priceOf(feeds: readonly Feed[], answers: ReadonlyMap<Address, Decimal>): Decimal | null {
  const found = feeds.flatMap(({ address }) => answers.get(address) ?? []);
  return found.length === feeds.length && found.length > 0 ? found.reduce(multiplied) : null;
}

/** How many bytes of calls go into one call of Multicall3: about fifty balances. */
const MULTICALL_BYTES = 2_048;

/** How many reads are made as one at the reading's block. Where Multicall3 is not deployed, its code is sent along. */
const together = ({ chain: { multicall3 }, blockNumber }: Reading) => ({
  blockNumber,
  batchSize: MULTICALL_BYTES,
  ...(multicall3 ? { multicallAddress: multicall3 } : { deployless: true }),
});

/** The balances that could be read, and the symbols of what the others are of. When none could, the first error is thrown. */
async function readBalances(reading: Reading): Promise<{ balances: Balance[]; unread: string[] }> {
  const { client, list, address, blockNumber, note } = reading;
  const [[native], results] = await Promise.all([
    Promise.allSettled([client.getBalance({ address, blockNumber })]),
    client.multicall({
      ...together(reading),
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
  const unread = failed.map(({ token }) => symbolOf(reading, token));
  if (first) note(`the balance of ${unread.join(", ")}`, first.error);
  return { balances, unread };
}

/** The answers that can be trusted, by the address of their feed; none where a rollup's sequencer is down. */
async function readAnswers(
  reading: Reading,
  feeds: readonly Feed[],
): Promise<{ answers: ReadonlyMap<Address, Decimal>; warnings: string[] }> {
  const { client, list, times, note } = reading;
  const answers = new Map<Address, Decimal>();
  if (feeds.length === 0) return { answers, warnings: [] };
  const addresses = feeds.map(({ address }) => address);
  const [rounds, decimals] = await Promise.all([
    client.multicall({
      ...together(reading),
      contracts: [...addresses, ...(list.sequencer ? [list.sequencer] : [])].map(
        (address) => ({ abi: feedAbi, address, functionName: "latestRoundData" }) as const,
      ),
    }),
    client.multicall({
      ...together(reading),
      contracts: addresses.map((address) => ({ abi: feedAbi, address, functionName: "decimals" }) as const),
    }),
  ]);
  const uptime = rounds[feeds.length];
  if (list.sequencer && (uptime?.status !== "success" || !isSequencerUp(uptime.result, times))) {
    note("the sequencer's uptime", uptime?.error ?? "down, or just back");
    return { answers, warnings: ["its sequencer is not known to have run for the last hour, so no price is trusted"] };
  }
  for (const [index, { address, maxAgeSeconds }] of feeds.entries()) {
    const [round, places] = [rounds[index], decimals[index]];
    if (round?.status === "success" && places?.status === "success") {
      const answer = answerOf(round.result, places.result, maxAgeSeconds, times);
      if (answer) answers.set(address, answer);
    } else note(`the feed ${address}`, round?.error ?? places?.error);
  }
  return { answers, warnings: [] };
}
