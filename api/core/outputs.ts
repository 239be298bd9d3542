import { type ErrorCode, errorCodes } from "./error-codes";
import { z } from "./operation";

// Output types.

/** An unsigned integer of any size, in decimal digits. */
export const uintText = z.string().regex(/^\d+$/).openapi({ example: "1" });

export const decimalText = z
  .string()
  .regex(/^\d+(\.\d{1,6})?$/)
  .openapi({ description: "A decimal number with at most 6 fraction digits.", example: "1.5" });

export const addressText = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/)
  .openapi({ example: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8" });

export const hashText = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/)
  .openapi({ example: `0x${"1f".repeat(32)}` });

export const selectorText = z
  .string()
  .regex(/^0x[0-9a-f]{8}$/)
  .openapi({ example: "0xa9059cbb" });

export const bytesText = z
  .string()
  .regex(/^0x([0-9a-f]{2})*$/)
  .openapi({ example: "0x04aabb" });

/** Unix seconds in decimal digits. */
export const timeText = uintText.openapi({ description: "Unix seconds.", example: "1767225600" });

/** Untrusted text from the chain. */
export const chainText = z.string().openapi({ description: "As stored on chain.", example: "ipfs://agent/1" });

const codes = Object.keys(errorCodes) as [ErrorCode, ...ErrorCode[]];

export const errorCode = z.enum(codes).openapi("ErrorCode", {
  description: "The stable code of an error. The sentence may change, the code doesn't.",
  example: "invalid_input",
});

/** A named type of the OpenAPI document, or null. `.nullable()` would make every use of the name nullable. */
export const orNull = <Named extends z.ZodType>(named: Named) => z.union([named, z.null()]);
