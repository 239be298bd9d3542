import type { TokenList } from "../../../config/token-list";
import { address } from "../../../config/values";
import type { Protocol } from "../protocol";
import { inBatches } from "./batch";
import { REGISTERED_SECONDS, sessionsBefore } from "./calendar";
import { complaints } from "./disputes";
import { metadataAt } from "./metadata";
import { setPolicies } from "./policies";
import { randomFrom } from "./random";
import { everyone, fundAgents, register } from "./registration";
import { review } from "./reviews";
import { salesFloor } from "./sales";
import { deployMarketTokens, marketTokens, pricesAt, setPrices, tradedIn, withMarketTokens } from "./tokens";
import { type OpenTrade, tradeDesk } from "./trades";

const SEED = 35;

/**
 * The empty blocks after the last session. They make the week final, so that the indexer reads it as history, which is faster
 * than block by block.
 */
const FINAL_BLOCKS = 32n;

/** What the gateway publishes about the week: evidence, and offers on an intent. */
export type MarketNews = { evidence: readonly string[]; contested: OpenTrade };

/**
 * Adds a week of trade to the chain, up to `present`: participants with names, two more tokens, prices, intents for which
 * solvers compete, sales, policies, attestations and disputes. It follows the sample activity, and is the same in every run
 * apart from its times. Returns undefined if the chain has it already.
 */
export async function marketWeek(
  protocol: Protocol,
  list: TokenList,
  baseUrl: string,
  present: bigint = BigInt(Math.floor(Date.now() / 1000)),
): Promise<MarketNews | undefined> {
  const { client, contracts } = protocol;
  const [firstToken] = marketTokens;
  if (firstToken && (await client.getCode({ address: address.parse(firstToken.address) }))) return undefined;
  const { timestamp: since } = await client.getBlock({ blockNumber: 0n });
  const chain = { contracts, chainId: client.chain.id };
  const random = randomFrom(SEED);
  const sessions = sessionsBefore(present, random);
  const metadata = metadataAt(baseUrl);
  const traded = tradedIn(withMarketTokens(list));
  const trades = tradeDesk(chain, traded, random);
  const sales = salesFloor(chain, metadata, random);
  const disputes = complaints();
  const evidence: string[] = [];

  await inBatches(protocol, async (batch) => {
    await batch.fund(everyone);
    const first = present - BigInt(REGISTERED_SECONDS);
    let prices = pricesAt(first, present);
    deployMarketTokens(batch, prices, since);
    register(batch, metadata);
    fundAgents(batch, contracts);
    setPolicies(batch, contracts);
    await batch.mine(first);

    for (const session of sessions) {
      if (session.hasNewPrices) {
        prices = pricesAt(session.opensAt, present);
        setPrices(batch, traded, prices);
      }
      if (session.isFirst) review(batch, session.day);
      await trades.open(batch, session, prices);
      sales.open(batch, session);
      const logs = await batch.mine(session.opensAt);
      trades.close(batch);
      const { sold, documents } = sales.close(batch, logs);
      evidence.push(...documents, ...disputes.handle(batch, sold));
      await batch.mine(session.closesAt);
    }

    await batch.mineEmpty(FINAL_BLOCKS, sessions.at(-1)?.closesAt ?? first);
  });
  return { evidence, contested: trades.contested() };
}
