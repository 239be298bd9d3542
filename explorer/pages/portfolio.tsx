import { useState } from "preact/hooks";
import type { PaymentRequirements } from "../../client/src/api";
import type { PaidSnapshot } from "../../client/src/index";
import { injectedWallet } from "../acting/injected-wallet";
import { Empty, Facts, Heading, Section } from "../components/blocks";
import { Hex } from "../components/hex";
import { Snapshot } from "../components/snapshot";
import { Amount, Token } from "../components/tokens";
import { links, operationLink } from "../links";
import { page, type ViewProps } from "../page";
import { shownTexts } from "../shown-texts";
import type { Terms } from "../wallet";

const LOCAL_CHAIN_ID = 31_337;

type Data = {
  /** Null if payment is not configured. */
  offer: {
    price: string;
    description: string;
    accepts: PaymentRequirements;
    /** The asset, if it is on the indexed chain. The service knows no other tokens. */
    token: string | undefined;
  } | null;
  /** Whether the service asks for no payment, for development. */
  isFree: boolean;
  defaultChains: string;
};

const isEvmNetwork = (network: string): network is Terms["network"] => /^eip155:\d+$/.test(network);

const termsOf = ({ network, asset, amount }: PaymentRequirements): Terms => {
  if (!isEvmNetwork(network)) throw new Error(`A wallet can't pay on ${network}.`);
  return { network, asset, amount };
};

const Offer = ({ offer }: { offer: NonNullable<Data["offer"]> }) => (
  <Section title="Payment terms">
    <p class="note">{offer.description} Paid with x402: the wallet signs, and needs no gas.</p>
    <Facts
      items={[
        { field: "price", label: "Price per request", value: offer.price },
        { field: "amount", label: "Amount", value: <Amount value={offer.accepts.amount} token={offer.token} full /> },
        { field: "asset", label: "Token", value: <Token value={offer.accepts.asset} /> },
        { field: "network", label: "Network", value: <code>{offer.accepts.network}</code> },
        { field: "payTo", label: "Paid to", value: <Hex value={offer.accepts.payTo} /> },
      ]}
    />
  </Section>
);

type PurchaseProps = { data: Data; address: string | undefined; isInteractive: boolean };

function Purchase({ data: { offer, isFree, defaultChains }, address, isInteractive }: PurchaseProps) {
  const [bought, setBought] = useState<PaidSnapshot>();
  const [progress, setProgress] = useState("");
  const [isBusy, setBusy] = useState(false);
  const buy = async (form: HTMLFormElement) => {
    const fields = new FormData(form);
    const chains = String(fields.get("chains")).split(",").filter(Boolean);
    const provider = injectedWallet();
    setBought(undefined);
    if (!provider && !isFree) return setProgress("This browser has no wallet. Install one that supports EIP-1193.");
    setBusy(true);
    setProgress(isFree ? "Reading the holdings." : "Confirm the payment in the wallet.");
    try {
      const { buyPortfolio } = await import("../wallet");
      const terms = offer && !isFree ? termsOf(offer.accepts) : undefined;
      const wallet = String(fields.get("address")).trim();
      const purchase = { provider, terms, address: wallet, chains: chains.length > 0 ? chains : undefined };
      setBought(shownTexts(await buyPortfolio(purchase)));
      setProgress(isFree ? "Done." : "Paid.");
    } catch (error) {
      setProgress(error instanceof Error ? error.message : `The wallet refused: ${JSON.stringify(error)}`);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <div class="columns even">
        <Section title={isFree ? "Read a portfolio" : "Buy a portfolio"}>
          <form
            class="form"
            onSubmit={(event) => {
              event.preventDefault();
              void buy(event.currentTarget);
            }}
          >
            <label>
              Wallet address
              <input
                name="address"
                defaultValue={address}
                required
                pattern="0x[0-9a-fA-F]{40}"
                autocomplete="off"
                spellcheck={false}
              />
            </label>
            <label>
              Chains
              <input name="chains" defaultValue={defaultChains} autocomplete="off" spellcheck={false} />
              <span class="hint">Separated by commas.</span>
            </label>
            <div>
              <button type="submit" class="primary" disabled={!isInteractive || isBusy}>
                {isFree ? "Show" : `Pay ${offer?.price ?? ""} with a wallet`}
              </button>
            </div>
            <p role="status" class="progress">
              {isInteractive ? progress : "Paying needs JavaScript and a wallet."}
            </p>
          </form>
        </Section>
        {offer && <Offer offer={offer} />}
      </div>
      {bought && <Snapshot {...bought} />}
    </>
  );
}

const PortfolioView = ({ data, live, parameters }: ViewProps<Data>) => (
  <>
    <Heading
      kind="Wallet portfolio"
      lead="The tokens of an address on several chains, with their prices and their value in dollars."
      actions={
        <a class="button" href={operationLink("portfolio.get")}>
          Use the API
        </a>
      }
    >
      What does a wallet hold?
    </Heading>
    {data.offer === null && !data.isFree ? (
      <Section title="Not available">
        <Empty title="Portfolios are not available">Payment is not configured on this server.</Empty>
      </Section>
    ) : (
      <Purchase data={data} address={parameters.address} isInteractive={live.isInteractive} />
    )}
  </>
);

export const portfolioPage = page<Data>({
  path: links.portfolio,
  title: () => "Portfolio",
  async load({ payments, status }) {
    const [{ resources }, { x402DevBypass }, { chain_id }] = await Promise.all([
      payments.discovery.query(),
      status.health.query(),
      status.protocol.query(),
    ]);
    const resource = resources.find(({ path }) => path === "/portfolio");
    const [accepts] = resource?.accepts ?? [];
    const token = accepts?.network === `eip155:${chain_id}` ? accepts.asset.toLowerCase() : undefined;
    return {
      offer: resource && accepts ? { price: resource.price, description: resource.description, accepts, token } : null,
      isFree: x402DevBypass,
      defaultChains: chain_id === LOCAL_CHAIN_ID ? "local" : "base,ethereum",
    };
  },
  View: PortfolioView,
});
