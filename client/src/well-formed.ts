import type { PreparedTransaction } from "./api";
import { refused } from "./refusal";

const shapes = { to: /^0x[0-9a-fA-F]{40}$/, data: /^0x([0-9a-fA-F]{2})*$/, value: /^\d+$/, gas: /^\d+$/ } as const;

/** Throws for a transaction whose fields are not what people see character by character. */
export function requireWellFormed(transactions: readonly PreparedTransaction[]): void {
  for (const transaction of transactions)
    for (const [field, shape] of Object.entries(shapes)) {
      const value = transaction[field as keyof typeof shapes];
      if (value === null && field === "gas") continue;
      if (typeof value !== "string" || !shape.test(value))
        throw refused(`The service answered with a transaction whose ${field} is malformed`);
    }
}
