import { contractNames, requiredContracts } from "../../config/contracts";
import { operation, z } from "../core/operation";
import { addressText, uintText } from "../core/outputs";
import { storeStates } from "../monitor/store-health";
import type { Context } from "./context";

const getHealth = operation({
  route: "GET /health",
  summary: "Liveness check.",
  description: "Returns 200 if the process serves requests.",
  input: z.object({}),
  output: z
    .strictObject({
      status: z.literal("ok"),
      ok: z.literal(true),
      service: z.string().openapi({ example: "intentry" }),
      name: z.string().openapi({ example: "Intentry" }),
      x402DevBypass: z.boolean().openapi({ description: "Whether payment is disabled, for development." }),
    })
    .openapi("Health"),
  example: {},
  dependsOn: [],
  run: async ({ config }) => ({
    status: "ok" as const,
    ok: true as const,
    service: "intentry",
    name: "Intentry",
    x402DevBypass: config.x402DevBypass,
  }),
});

const getReadiness = operation({
  route: "GET /ready",
  summary: "Readiness check.",
  description:
    "Whether the index matches the chain and has caught up with it, how far it lags behind, and the reasons if it is not ready.",
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
        .openapi({ description: "How long the index has been behind the chain, in seconds.", example: 0 }),
      progress: z
        .number()
        .min(0)
        .max(1)
        .openapi({ description: "The indexed fraction of the chain's history, from 0 to 1.", example: 1 }),
      eta_seconds: z
        .int()
        .min(0)
        .nullable()
        .openapi({ description: "Estimated seconds until the history is indexed. Null if unknown.", example: 0 }),
      store: z.enum(storeStates).openapi({
        description:
          "Whether the store of published data accepts writes: ok, read-only, full (no disk space) or unavailable.",
        example: "ok",
      }),
      unpaid_payments: z.int().min(0).nullable().openapi({
        description:
          "Payments whose transfer was removed by a reorg, and that expired before they could be settled again. Null if unknown.",
        example: 0,
      }),
      reason: z.string().nullable().openapi({ description: "The first of the reasons. Null if ready.", example: null }),
      reasons: z.array(z.string()).openapi({ description: "All reasons why it is not ready.", example: [] }),
    })
    .openapi("Readiness"),
  errors: [503],
  example: {},
  status: ({ ready }) => (ready ? 200 : 503),
  dependsOn: ["untracked"],
  run: ({ readiness }: Context) => readiness(),
});

const getProtocol = operation({
  route: "GET /protocol",
  summary: "The indexed chain and its contracts.",
  description: "The chain id and the addresses of the protocol's contracts.",
  input: z.object({}),
  output: z
    .strictObject({
      chain_id: z.int().openapi({ example: 31337 }),
      contracts: z.strictObject({
        ...(Object.fromEntries(requiredContracts.map((name) => [name, addressText])) as Record<
          (typeof requiredContracts)[number],
          typeof addressText
        >),
        SettlementAdapter: addressText.optional().openapi({ description: "Absent if the deployment has none." }),
      }),
    })
    .openapi("Protocol"),
  example: {},
  dependsOn: [],
  run: async ({ config: { chainId, contracts } }) => ({
    chain_id: chainId,
    contracts: Object.fromEntries(
      contractNames.flatMap((name) => (contracts[name] ? [[name, contracts[name]]] : [])),
    ) as typeof contracts,
  }),
});

export const status = { health: getHealth, ready: getReadiness, protocol: getProtocol };
