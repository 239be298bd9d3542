import type { ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import { dateOf, formatTime, groupDigits } from "../../common/format";
import { links } from "../links";
import { addressIn } from "../names";
import { safeUrl } from "../text/format";
import { relativeTime } from "../text/relative-time";
import { percentOfBasisPoints, shortDollars } from "../text/short-number";
import { NowContext } from "./clock";
import { CopyButton } from "./copy-button";
import { Hex, type HexProps } from "./hex";
import { Mark } from "./mark";
import { useNameOfAccount } from "./record-link";

/** The address or hash that stands for none. */
const isZero = (value: string) => /^0x0*$/.test(value);

/** An account by the name of the record that it acts for, or else by its address. `full` also shows the address. */
export function Account({ value, full, bare }: Omit<HexProps, "href">) {
  const name = useNameOfAccount(value);
  if (isZero(value)) return <Hex value={value} full={full} bare={bare} />;
  const href = links.account(value);
  return (
    <span class="party">
      <Mark of={value} />
      {name === undefined ? (
        <Hex value={value} full={full} bare={bare} href={href} />
      ) : (
        <>
          <a class="record" href={href} title={value}>
            <bdi>{name}</bdi>
          </a>
          {full && " "}
          {full ? <Hex value={value} full={full} bare={bare} /> : !bare && <CopyButton text={value} />}
        </>
      )}
    </span>
  );
}

/**
 * A hash that a search finds: the subject of an attestation, the metadata of a record, or the plan or quote of a settlement.
 * Other hashes are not links.
 */
export const FoundHash = ({ value, full }: Omit<HexProps, "href" | "bare">) => (
  <Hex value={value} full={full} href={isZero(value) ? undefined : links.find(value)} />
);

/** What an attestation is about: an address, or any other hash. */
export const Subject = ({ value }: { value: string }) => {
  const address = addressIn(value);
  return address === undefined ? <FoundHash value={value} /> : <Account value={address} />;
};

export const Transaction = ({ value, full, bare }: Omit<HexProps, "href">) => (
  <Hex value={value} full={full} bare={bare} href={links.transaction(value)} />
);

/** A whole number of any size. */
export const Count = ({ value }: { value: string | number }) => (
  <data value={String(value)}>{groupDigits(String(value))}</data>
);

/** A block by its number. */
export const Block = ({ value }: { value: string }) => (
  <a href={links.block(value)}>
    <Count value={value} />
  </a>
);

/** A decimal number, such as a price. Dollars have cents. */
const Decimal = ({ value, unit = "" }: { value: string; unit?: string }) => {
  const [whole = "", fraction] = value.split(".");
  return (
    <data value={value}>
      {unit}
      {groupDigits(whole)}
      {fraction === undefined ? "" : `.${unit === "$" ? fraction.padEnd(2, "0") : fraction}`}
    </data>
  );
};

/** A fact in dollars or a price, if it is known. */
export const decimalFact = (field: string, label: string, value: string | null, unit?: string) =>
  value === null ? [] : [{ field, label, value: <Decimal value={value} {...(unit && { unit })} /> }];

/** Dollars for a glance, with the exact number as the title. Nothing if the value is unknown. */
export const Dollars = ({ value }: { value: string | null | undefined }) =>
  value == null ? null : (
    <data class="usd" value={value} title={`$${value}`}>
      {shortDollars(value)}
    </data>
  );

/** A share in basis points as percent, such as "2.1 %". */
export const Percent = ({ basisPoints }: { basisPoints: string }) => (
  <data value={basisPoints} title={`${basisPoints} basis points`}>
    {percentOfBasisPoints(basisPoints)}
  </data>
);

type TimeProps = {
  /** Unix seconds. */
  seconds: string;
  /** Shows the date beside the distance to now. */
  full?: boolean;
  /** Whether it is a limit. Other times are those of events. */
  isDeadline?: boolean;
};

/** A time as its distance to now, with the exact one as the title. */
export function Time({ seconds, full = false, isDeadline = false }: TimeProps) {
  const now = useContext(NowContext);
  const date = dateOf(BigInt(seconds));
  const text = formatTime(BigInt(seconds));
  const title = `${text}, ${seconds} in unix seconds`;
  if (date === undefined)
    return (
      <data value={seconds} title={title}>
        {text}
      </data>
    );
  const relative = relativeTime(BigInt(seconds), now, { isEvent: !isDeadline });
  return (
    <time dateTime={date.toISOString()} title={title}>
      {full && relative ? `${text} (${relative})` : (relative ?? text)}
    </time>
  );
}

/** An ISO 8601 time of the store. */
export const IsoTime = ({ value }: { value: string }) => (
  <Time seconds={String(Math.floor(Date.parse(value) / 1000))} full />
);

/** How much of the beginning and the end of a URI a table shows. */
const URI_START = 22;
const URI_END = 9;

/** A URI that someone put on chain. Only http and https become links. The title of a `short` one has it all. */
export function Uri({ value, short = false }: { value: string; short?: boolean }) {
  const href = safeUrl(value);
  if (value === "") return <None />;
  const letters = [...value];
  const isCut = short && letters.length > URI_START + URI_END;
  const text = (
    <code class="text" title={isCut ? value : undefined}>
      {isCut ? `${letters.slice(0, URI_START).join("")}…${letters.slice(-URI_END).join("")}` : value}
    </code>
  );
  return href === undefined ? (
    text
  ) : (
    <a href={href} rel="noopener noreferrer nofollow">
      {text}
    </a>
  );
}

export const None = ({ children = "none" }: { children?: ComponentChildren }) => <span class="none">{children}</span>;

/** The words of a state, such as `Open` for `OPEN`. */
const stateText = (value: string) => {
  const words = value.toLowerCase().replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** A state in words. Its color has a meaning of its own in the style sheet, and never carries it alone. */
export const Status = ({ value, color = value.toLowerCase() }: { value: string; color?: string }) => (
  <span class={`status status-${color}`}>{stateText(value)}</span>
);

/** The state of a dispute. An open one has the color of what is disputed. */
export const DisputeStatus = ({ value }: { value: string }) => (
  <Status value={value} color={value === "OPEN" ? "disputed" : value.toLowerCase()} />
);

export const activity = (isActive: boolean) => (isActive ? "ACTIVE" : "INACTIVE");

export const Active = ({ value }: { value: boolean }) => <Status value={activity(value)} />;

/** The kinds of a number that the API documents, such as `paymentRails[3]`, with the number itself. */
export const Kind = ({ value, names }: { value: number; names: readonly string[] }) => (
  <data value={String(value)} title={String(value)}>
    {names[value] ?? `kind ${value}`}
  </data>
);

export const paymentRails = ["transfer", "swap", "facilitator", "x402"] as const;
export const signalKinds = ["verification", "risk", "compliance", "fulfillment"] as const;
