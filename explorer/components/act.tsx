import type { ComponentType } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import { curlOf, type Offer } from "../acting/offer";
import { Section } from "./blocks";
import { CopyButton } from "./copy-button";
import { TokensContext } from "./tokens";

/** How programs do the same, and people whose browser has no wallet. */
function Request({ offer }: { offer: Offer }) {
  const tokens = useContext(TokensContext);
  const [url, setUrl] = useState("$GATEWAY_URL");
  useEffect(() => setUrl(location.origin), []);
  const line = curlOf(offer, url, (address) => tokens.get(address));
  return (
    <>
      <p class="note">This request answers with the transaction to sign:</p>
      <div class="command">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
        <pre tabIndex={0}>{line}</pre>
        <CopyButton text={line} />
      </div>
    </>
  );
}

type ActionProps = { offer: Offer; onOpen: () => void };

/** A button that opens an action. The code that uses a wallet is loaded then. */
function Action({ offer, onOpen }: ActionProps) {
  const details = useRef<HTMLDetailsElement>(null);
  const [Flow, setFlow] = useState<ComponentType<{ offer: Offer }>>();
  const [problem, setProblem] = useState<string>();
  const open = async () => {
    if (!details.current?.open) return;
    onOpen();
    try {
      const loaded = await import("../acting/flow");
      setFlow(() => loaded.Flow);
    } catch {
      setProblem("The code for wallets could not be loaded. Load the page again.");
    }
  };
  // It may have been opened before the script ran.
  useEffect(() => void open(), []);
  return (
    <details class="action" ref={details} onToggle={() => void open()} data-action={offer.label}>
      <summary class="button">{offer.label}</summary>
      <div class="action-body">
        <p>{offer.note}</p>
        {Flow ? (
          <Flow offer={offer} />
        ) : (
          <p class="note">{problem ?? "To do this here, your browser needs JavaScript and a wallet."}</p>
        )}
        <Request offer={offer} />
      </div>
    </details>
  );
}

/** What a person can do with a record now. An action that was opened stays, to show what became of it. */
export function Act({ offers }: { offers: readonly Offer[] }) {
  const [opened, setOpened] = useState<readonly Offer[]>([]);
  const labels = offers.map(({ label }) => label);
  const shown = [...offers, ...opened.filter(({ label }) => !labels.includes(label))];
  if (shown.length === 0) return null;
  return (
    <Section title="Act" id="act" note="A wallet in your browser signs. This service never has a key.">
      <div class="actions">
        {shown.map((offer) => (
          <Action
            key={offer.label}
            offer={offer}
            onOpen={() => setOpened((before) => [...before.filter(({ label }) => label !== offer.label), offer])}
          />
        ))}
      </div>
    </Section>
  );
}
