import {
  type Abi,
  type AbiFunction,
  concat,
  encodeAbiParameters,
  type Hex,
  stringToHex,
  toFunctionSelector,
} from "viem";

/** The size of a long text, in bytes. */
const LONG = 100_000;

/** Characters of one to four bytes, so that no limit in characters is one in bytes. */
const mixed = "aé€𝄞";

/** The bytes of texts that anyone can put on chain. */
export const hostileTexts: Readonly<Record<string, Hex>> = {
  empty: "0x",
  long: stringToHex(mixed.repeat(LONG / Buffer.byteLength(mixed))),
  "100 kB of control characters": stringToHex("\u0001".repeat(LONG)),
  "not valid UTF-8": "0x61ff62c328",
  "lone surrogates": "0x61eda08062edb08063",
  "a truncated character": "0x61f09d84",
  "only NUL": "0x00",
  "NUL inside": "0x610062",
  "quotes, escapes and line ends": stringToHex("\"'\\\\u0000\\x00\r\n\n\ndata: {}\u2028\u2029"),
  "markup and text direction": stringToHex("</script><img src=x onerror=alert(1)>\u202e\u2066%00%s$1"),
  "a byte order mark": "0xefbbbf61",
};

/** A text as the index stores it: invalid bytes and NUL are U+FFFD. */
export const stored = (bytes: Hex) =>
  new TextDecoder().decode(Buffer.from(bytes.slice(2), "hex")).replaceAll("\0", "\uFFFD");

/**
 * The calldata of a function whose strings are given as bytes. The ABI encodes both alike, and only bytes can be invalid
 * UTF-8.
 */
export function callWithBytes(abi: Abi, functionName: string, args: readonly unknown[]): Hex {
  const item = abi.find((one): one is AbiFunction => one.type === "function" && one.name === functionName);
  if (!item) throw new Error(`The contract has no function ${functionName}`);
  const inputs = item.inputs.map((input) => (input.type === "string" ? { ...input, type: "bytes" } : input));
  return concat([toFunctionSelector(item), encodeAbiParameters(inputs, args as unknown[])]);
}
