import { shortHex } from "../text/format";
import { CopyButton } from "./copy-button";

/** An address or a hash. `full` shows all digits, which record pages do and tables don't. */
export type HexProps = {
  value: string;
  full?: boolean | undefined;
  /** Without a button, in a sentence. */
  bare?: boolean | undefined;
  href?: string | undefined;
};

export function Hex({ value, full = false, bare = false, href }: HexProps) {
  const text = <code title={full ? undefined : value}>{full ? value : shortHex(value)}</code>;
  return (
    <span class={full ? "hex full" : "hex"}>
      {href === undefined ? text : <a href={href}>{text}</a>}
      {!bare && <CopyButton text={value} />}
    </span>
  );
}
