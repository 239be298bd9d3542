import type { Token } from "../../client/src/api";
import { readVolumes } from "../charts";
import { Facts, Heading, Section } from "../components/blocks";
import { Hex } from "../components/hex";
import { type Chart, Charts } from "../components/series";
import { Count, None } from "../components/values";
import { links } from "../links";
import { page, type ViewProps } from "../page";
import { shortHex } from "../text/format";

type Data = { token: string; facts: Token; charts: readonly Chart[] };

const sources: Readonly<Record<Token["source"], string>> = {
  list: "from our token list",
  contract: "from the token's contract, which can claim any name",
  unknown: "unknown: there is no contract, or it has none of the functions",
  pending: "pending: the contract was not read yet",
};

const textOrNone = (text: string | null) => (text === null ? <None /> : <bdi>{text}</bdi>);

const TokenView = ({ data: { facts, charts } }: ViewProps<Data>) => (
  <>
    <Heading kind="Token">
      {facts.symbol === null ? <Hex value={facts.address} full /> : <bdi>{facts.symbol}</bdi>}
    </Heading>
    <Section title="Token">
      <Facts
        items={[
          { field: "address", label: "Address", value: <Hex value={facts.address} full /> },
          { field: "chain_id", label: "Chain", value: facts.chain_id },
          { field: "symbol", label: "Symbol", value: textOrNone(facts.symbol) },
          { field: "name", label: "Name", value: textOrNone(facts.name) },
          {
            field: "decimals",
            label: "Decimals",
            value: facts.decimals === null ? <None /> : <Count value={facts.decimals} />,
          },
          { field: "source", label: "Source", value: sources[facts.source] },
        ]}
      />
    </Section>
    <Charts charts={charts} />
  </>
);

export const tokenPage = page<Data>({
  path: links.token(":address"),
  title: ({ facts }) => `Token ${facts.symbol ?? shortHex(facts.address)}`,
  description: ({ facts }) => `What is traded and paid in ${facts.name ?? "the token"}, ${facts.address}.`,
  async load(api, { address = "" }, onFailure) {
    const facts = await api.tokens.get.query({ address });
    const charts = await readVolumes(api, [facts.address], onFailure);
    return { token: facts.address, facts, charts };
  },
  View: TokenView,
  // The contract may be read, and volumes grow, after the page was loaded.
  subscription: () => ({}),
});
