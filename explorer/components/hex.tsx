import { shortHex } from "../text/format";
import { CopyButton } from "./copy-button";

/** An address or a hash. `full` shows all digits, which record pages do and tables don't. */
export type HexProps = { value: string; full?: boolean | undefined; href?: string | undefined };

export function Hex({ value, full = false, href }: HexProps) {
  const text = full ? value : shortHex(value);
  return (
    <span class="hex">
      {href === undefined ? (
        <code title={full ? undefined : value}>{text}</code>
      ) : (
        <a href={href} title={full ? undefined : value}>
          <code>{text}</code>
        </a>
      )}
      <CopyButton text={value} />
    </span>
  );
}
