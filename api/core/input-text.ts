import { stringify } from "viem";

/** Parsed input as JSON text. Bigints become decimal strings. */
export const inputText = (input: Record<string, unknown>) => stringify(input);
