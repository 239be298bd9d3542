import { concat, type Hex, size, toFunctionSelector, toHex } from "viem";

/** What a function does: return these bytes, followed by zeros up to `size`; revert; or run until the gas is used up. */
export type Behavior = { returns: Hex; size?: number } | "reverts" | "loops";

const REVERT: Hex = "0x60006000fd";
const JUMPDEST: Hex = "0x5b";

/** The bytes of a check for each selector: DUP1, PUSH4 selector, EQ, PUSH3 place, JUMPI. */
const CHECK_BYTES = 12;

/** The bytes of a body, at most. All have this length, so that their places are known. */
const BODY_BYTES = 24;

const padded = (code: Hex): Hex => concat([code, `0x${"00".repeat(BODY_BYTES - size(code))}`]);

const push3 = (value: number): Hex => concat(["0x62", toHex(value, { size: 3 })]);

/** The code of a contract with functions without arguments. Any other call reverts. */
export function contractCode(functions: Readonly<Record<string, Behavior>>): Hex {
  const entries = Object.entries(functions);
  const bodiesAt = 6 + CHECK_BYTES * entries.length + size(REVERT);
  const placeOf = (index: number) => bodiesAt + BODY_BYTES * index;
  let dataAt = placeOf(entries.length);
  const checks: Hex[] = [];
  const bodies: Hex[] = [];
  const data: Hex[] = [];
  for (const [index, [signature, behavior]] of entries.entries()) {
    checks.push(concat(["0x8063", toFunctionSelector(signature), "0x14", push3(placeOf(index)), "0x57"]));
    if (behavior === "reverts") bodies.push(padded(concat([JUMPDEST, REVERT])));
    // A jump back to its own place.
    else if (behavior === "loops") bodies.push(padded(concat([JUMPDEST, push3(placeOf(index)), "0x56"])));
    else {
      const length = push3(behavior.size ?? size(behavior.returns));
      // CODECOPY(0, dataAt, length), then RETURN(0, length).
      bodies.push(padded(concat([JUMPDEST, length, push3(dataAt), "0x600039", length, "0x6000f3"])));
      data.push(behavior.returns);
      dataAt += size(behavior.returns);
    }
  }
  // CALLDATALOAD(0) >> 224 is the selector.
  return concat(["0x60003560e01c", ...checks, REVERT, ...bodies, ...data]);
}
