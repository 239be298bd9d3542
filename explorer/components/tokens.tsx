import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Token as KnownToken } from "../../client/src/api";
import { formatAmount, groupDigits } from "../../common/format";
import { links } from "../links";
import { shortHex } from "../text/format";
import { shortNumber } from "../text/short-number";
import { NATIVE_COIN } from "../tokens";
import { Hex } from "./hex";
import { Dollars } from "./values";

/** The tokens of the page's amounts, by address. */
export const TokensContext = createContext<ReadonlyMap<string, KnownToken>>(new Map());

const useToken = (address: string | undefined): KnownToken | undefined => {
  const tokens = useContext(TokensContext);
  return address === undefined ? undefined : tokens.get(address);
};

/** Any contract can have any symbol, so only a listed token is named without its address. */
const isTrusted = (token: KnownToken | undefined) => token?.source === "list";

/** Writes an amount in whole tokens, or in the smallest units if the decimals are unknown. */
const amountText = (value: string, token: KnownToken | undefined): string =>
  token?.decimals == null ? groupDigits(value) : formatAmount(BigInt(value), token.decimals);

/** An amount for a glance. */
const shortText = (value: string, token: KnownToken | undefined): string =>
  shortNumber(token?.decimals == null ? value : amountText(value, token).replaceAll(",", ""));

/** A token by its symbol as plain text, for titles. The address of a token that is not listed must be near. */
export function useTokenName(address: string): string {
  const token = useToken(address);
  return token?.symbol ?? (address === NATIVE_COIN ? "native coin" : shortHex(address));
}

/** Writes amounts of a token as plain text. */
export function useAmountText(address: string | undefined): (value: string) => string {
  const token = useToken(address);
  return (value) => amountText(value, token);
}

type TokenProps = { value: string; full?: boolean | undefined };

/** A token by its symbol, with a link to its page. `full` shows all digits of the address. */
export function Token({ value, full = false }: TokenProps) {
  const token = useToken(value);
  const href = links.token(value);
  const symbol = token?.symbol ?? (value === NATIVE_COIN ? "native coin" : null);
  if (symbol === null) return <Hex value={value} full={full} href={href} />;
  const name = (
    <a href={href} title={`${token?.name ?? symbol}, ${value}`}>
      <bdi>{symbol}</bdi>
    </a>
  );
  if (!full && (isTrusted(token) || value === NATIVE_COIN)) return name;
  return (
    <>
      {name} <Hex value={value} full={full} />
    </>
  );
}

type AmountProps = {
  value: string;
  /** Undefined if the protocol does not define the token: the amount stays in units. */
  token?: string | undefined;
  /** Its value in dollars, if it is known. */
  usd?: string | null | undefined;
  /** Shows all digits, and the exact amount in the smallest units. Without it, they are the title. */
  full?: boolean | undefined;
};

/** An amount of a token with its value, such as "950 tUSD $950.00". */
export function Amount({ value, token: address, usd, full = false }: AmountProps) {
  const token = useToken(address);
  const isWhole = token?.decimals != null;
  const exact = amountText(value, token);
  return (
    <span class="amount">
      <data value={value} title={isWhole ? `${exact} (${value} of the smallest unit)` : groupDigits(value)}>
        {full ? exact : shortText(value, token)}
      </data>{" "}
      <span class="unit">
        {isWhole ? "" : address === undefined ? "units" : "units of "}
        {address !== undefined && <Token value={address} />}
      </span>
      {full && isWhole && <span class="exact"> ({value})</span>}
      {usd != null && " "}
      <Dollars value={usd} />
    </span>
  );
}
