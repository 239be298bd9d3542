import { describe, expect, it } from "vitest";
import { tokenLists } from "../../api/tokens/lists";
import { chains, publicChainSlugs } from "../../config/chains";

/** Chainlink's slowest feeds have a daily heartbeat, plus an hour of tolerance. Hourly feeds may miss one update. */
const MAX_AGES = [2 * 3600, 25 * 3600];

describe.each(publicChainSlugs)("the token list of %s", (slug) => {
  const { native, tokens } = tokenLists[slug];
  const addresses = tokens.map(({ address }) => address);

  it("has no token twice, and not the native coin", () => {
    expect(new Set(addresses).size).toBe(addresses.length);
    for (const contract of chains[slug].nativeContracts) expect(addresses).not.toContain(contract);
  });

  it("has a price of the native coin and of each stablecoin, none older than its feed's heartbeat allows", () => {
    for (const { symbol, feeds, stablecoin } of tokens) if (stablecoin) expect(feeds.length, symbol).toBeGreaterThan(0);
    expect(native.length).toBeGreaterThan(0);
    const ages = [native, ...tokens.map(({ feeds }) => feeds)].flat().map(({ maxAgeSeconds }) => maxAgeSeconds);
    for (const age of ages) expect(MAX_AGES).toContain(age);
  });
});
