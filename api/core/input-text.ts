/** Parsed input as JSON text. Bigints become decimal strings. */
export const inputText = (input: Record<string, unknown>) =>
  JSON.stringify(input, (_, value) => (typeof value === "bigint" ? String(value) : value));
