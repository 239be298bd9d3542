import { type Address, isAddress } from "viem";
import { z } from "zod";
import { requiredContracts } from "./contracts";

/** An address in any letter case, converted to lowercase. */
export const address = z
  .string()
  .refine((value) => isAddress(value, { strict: false }), "must be an address: 0x and 40 hex digits")
  .transform((value): Address => `0x${value.slice(2).toLowerCase()}`);

export const httpUrl = z.url({ protocol: /^https?$/, error: "must be an http(s) URL" });

export const webSocketUrl = z.url({ protocol: /^wss?$/, error: "must be a ws(s) URL" });

export const contractAddresses = z.object({
  ...(Object.fromEntries(requiredContracts.map((name) => [name, address])) as Record<
    (typeof requiredContracts)[number],
    typeof address
  >),
  SettlementAdapter: address.optional(),
});

/** A whole number in decimal digits, within a range. */
export const wholeNumber = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^\d+$/, `must be a whole number from ${minimum} to ${maximum}`)
    .transform(Number)
    .pipe(z.number().min(minimum, `must be at least ${minimum}`).max(maximum, `must be at most ${maximum}`));

export const port = wholeNumber(1, 65535);

export const host = z.string().regex(/^[\w.:-]+$/, "must be an IP address or a host name");

export const flag = z
  .enum(["true", "false"], { error: "must be true or false" })
  .transform((value) => value === "true");

/** Comma-separated values. An empty string is an empty list. */
export const list = <Item>(item: z.ZodType<Item, string>) =>
  z
    .string()
    .transform((text) => (text === "" ? [] : text.split(",").map((part) => part.trim())))
    .pipe(z.array(item));
