import { simulationMethods } from "../../actions/simulate";
import { z } from "../../core/operation";
import { addressText, bytesText, orNull, uintText } from "../../core/outputs";
import { Preflight } from "../preflight";
import { warningCodes } from "./scope";

const sentence = (example: string, description?: string) =>
  z.string().openapi({ example, ...(description && { description }) });

const Transaction = z
  .strictObject({
    from: addressText
      .nullable()
      .openapi({ description: "Who must send it. Null: the signer of the policy account, which is not given." }),
    to: addressText.openapi({ description: "The contract, or who is paid." }),
    data: bytesText,
    value: uintText.openapi({ description: "In wei.", example: "0" }),
    chainId: z.int().openapi({ description: "The chain to send it on.", example: 31337 }),
    gas: uintText.nullable().openapi({
      description:
        "A limit: 1.6 times what the simulation uses, since refunds come at the end. Null without a simulation.",
      example: "65000",
    }),
    description: sentence("IntentBook.cancelIntent(intentId: 5)", "What the calldata decodes to."),
  })
  .openapi("PreparedTransaction");

export const TypedData = z
  .strictObject({
    domain: z
      .record(z.string(), z.unknown())
      .openapi({ description: "What the signature is valid for.", example: { name: "AgentIntentBook", version: "1" } }),
    types: z.record(z.string(), z.array(z.strictObject({ name: z.string(), type: z.string() }))).openapi({
      description: "The types of the message and the domain.",
      example: { Intent: [{ name: "owner", type: "address" }] },
    }),
    primaryType: z.string().openapi({ description: "The type of the message.", example: "Intent" }),
    message: z.record(z.string(), z.unknown()).openapi({ description: "What is signed.", example: {} }),
  })
  .openapi("TypedData", { description: "For eth_signTypedData_v4. Integers are decimal text." });

const Revert = z
  .strictObject({
    error: sentence("BidExpired", "The name of the contract's error, or its selector."),
    reason: sentence("Bid 3 on intent 5 expired.", "Why it reverts."),
    fix: z.string().nullable().openapi({ description: "What to do about it.", example: "Select another one." }),
  })
  .openapi("ExplainedRevert");

const SimulatedEvent = z
  .strictObject({
    address: addressText.openapi({ description: "The contract that emits it." }),
    contract: z.string().nullable().openapi({ description: "Null for other contracts.", example: "IntentBook" }),
    event: z.string().nullable().openapi({ description: "Null if unknown.", example: "IntentCancelled" }),
    args: z.record(z.string(), z.unknown()).openapi({ example: { intentId: "5" } }),
    description: z.string().nullable().openapi({
      description: "What it means. Null for other contracts.",
      example: "Intent #5 cancelled by its owner",
    }),
  })
  .openapi("SimulatedEvent");

const Simulation = z
  .strictObject({
    ok: z.boolean().openapi({ description: "Whether all simulated transactions succeed." }),
    method: z.enum(simulationMethods).openapi({
      description:
        "`eth_simulateV1`; `state_overrides`: the same without events, for nodes that lack it; `eth_call`: only the first transaction, without gas and events.",
      example: "eth_simulateV1",
    }),
    note: z.string().nullable().openapi({ description: "What was not simulated.", example: null }),
    results: z
      .array(
        z.strictObject({
          ok: z.boolean().openapi({ description: "Whether it succeeds." }),
          gas_used: uintText.nullable().openapi({ description: "After refunds.", example: "52000" }),
          revert: orNull(Revert),
          events: z
            .array(SimulatedEvent)
            .nullable()
            .openapi({ description: "At most 100. Null if the method has none." }),
        }),
      )
      .openapi({ description: "By transaction, in order." }),
  })
  .openapi("Simulation");

const Next = z
  .strictObject({
    description: sentence("Once the owner selects the bid, fill the intent.", "What to do next."),
    action: z.string().nullable().openapi({ description: "The next action.", example: "fillIntent" }),
    input: z
      .record(z.string(), z.unknown())
      .nullable()
      .openapi({ description: "Its input, as far as it is known.", example: { intent_id: "5" } }),
  })
  .openapi("NextStep");

/** A prepared action. */
export const PreparedAction = z
  .strictObject({
    summary: sentence("Cancel intent 5.", "What will happen. Names that others chose are in quotes."),
    transactions: z.array(Transaction).openapi({ description: "To sign and send in this order." }),
    typed_data: TypedData.optional().openapi({ description: "To sign, for an action that needs a signature." }),
    simulation: orNull(Simulation).openapi({
      description: "At the newest block. Null without transactions or a node.",
    }),
    preflight: z
      .array(Preflight)
      .optional()
      .openapi({ description: "If `from` has policies: the check of each transaction that they apply to." }),
    warnings: z
      .array(
        z
          .strictObject({ code: z.enum(warningCodes), message: z.string().openapi({ description: "The warning." }) })
          .openapi("ActionWarning", {
            example: { code: "deadline", message: "The time 14 Nov 2026 19:25:00 UTC is only 30 seconds away." },
          }),
      )
      .openapi({ description: "What to be careful about." }),
    next: orNull(Next).openapi({ description: "What usually follows." }),
  })
  .openapi("PreparedAction");

export type PreparedAction = z.input<typeof PreparedAction>;
export type TypedData = z.input<typeof TypedData>;
export type Next = z.input<typeof Next>;
