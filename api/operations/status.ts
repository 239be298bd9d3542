import { contractNames } from "../../config/contracts";
import { readiness } from "../readiness";
import { operation, z } from "./operation";
import { addressText, uintText } from "./scalars";

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
  summary: "Says whether the index has caught up with the chain, at which block it stands and how far behind it is.",
  input: z.object({}),
  output: z
    .strictObject({
      ready: z.boolean(),
      chain_id: z.int(),
      block_number: uintText.nullable(),
      chain_block_number: uintText.nullable(),
      lag_blocks: uintText.nullable(),
      reason: z.string().nullable().openapi({ description: "Why it is not ready.", example: null }),
    })
    .openapi("Readiness"),
  errors: [503],
  example: {},
  status: ({ ready }) => (ready ? 200 : 503),
  run: (services) => readiness(services),
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
  run: async ({ config: { chainId, contracts } }) => ({
    chain_id: chainId,
    contracts: Object.fromEntries(contractNames.map((name) => [name, contracts[name]])) as typeof contracts,
  }),
});
