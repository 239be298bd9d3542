import { contractNames } from "../../config/contracts";
import { operation, z } from "../core/operation";
import { addressText, uintText } from "../core/outputs";
import { storeStates } from "../monitor/store-health";
import type { Context } from "./context";

export const getHealth = operation({
  route: "GET /health",
  summary: "Says that the process serves.",
  input: z.object({}),
  output: z
    .strictObject({
      status: z.literal("ok"),
      ok: z.literal(true),
      service: z.string().openapi({ example: "intentry" }),
      name: z.string().openapi({ example: "Intentry" }),
      x402DevBypass: z.boolean().openapi({ description: "Whether the paid routes are free, for development." }),
    })
    .openapi("Health"),
  example: {},
  readsIndex: false,
  run: async ({ config }) => ({
    status: "ok" as const,
    ok: true as const,
    service: "intentry",
    name: "Intentry",
    x402DevBypass: config.x402DevBypass,
  }),
});

export const getReadiness = operation({
  route: "GET /ready",
  summary:
    "Says whether the index agrees with the chain and has caught up with it, how far behind it is, and if it is not ready, why.",
  input: z.object({}),
  output: z
    .strictObject({
      ready: z.boolean(),
      chain_id: z.int(),
      block_number: uintText.nullable(),
      chain_block_number: uintText.nullable(),
      lag_blocks: uintText.nullable(),
      lag_seconds: z
        .int()
        .min(0)
        .nullable()
        .openapi({ description: "For how long the index has been behind the chain.", example: 0 }),
      progress: z
        .number()
        .min(0)
        .max(1)
        .openapi({ description: "The part of the chain's history that is indexed, from 0 to 1.", example: 1 }),
      eta_seconds: z
        .int()
        .min(0)
        .nullable()
        .openapi({ description: "Seconds until the history is indexed; null when that is not known.", example: 0 }),
      store: z.enum(storeStates).openapi({
        description: "Whether the store of published data takes writes, can only be read, or does not answer.",
        example: "ok",
      }),
      reason: z
        .string()
        .nullable()
        .openapi({ description: "Why it is not ready: the first of the reasons.", example: null }),
      reasons: z.array(z.string()).openapi({ description: "Every reason why it is not ready.", example: [] }),
    })
    .openapi("Readiness"),
  errors: [503],
  example: {},
  readsIndex: false,
  status: ({ ready }) => (ready ? 200 : 503),
  run: ({ readiness }: Context) => readiness(),
});

export const getProtocol = operation({
  route: "GET /protocol",
  summary: "Which chain is indexed, and where the protocol's contracts are on it.",
  input: z.object({}),
  output: z
    .strictObject({
      chain_id: z.int().openapi({ example: 31337 }),
      contracts: z.strictObject(
        Object.fromEntries(contractNames.map((name) => [name, addressText])) as Record<
          (typeof contractNames)[number],
          typeof addressText
        >,
      ),
    })
    .openapi("Protocol"),
  example: {},
  readsIndex: false,
  run: async ({ config: { chainId, contracts } }) => ({
    chain_id: chainId,
    contracts: Object.fromEntries(contractNames.map((name) => [name, contracts[name]])) as typeof contracts,
  }),
});
