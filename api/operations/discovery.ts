import { inputJsonSchema, outputJsonSchema } from "../core/json-schema";
import { operation, z } from "../core/operation";
import { requirementsOf } from "../payments/offer";
import type { Context } from "./context";
import { getPortfolio } from "./portfolio";

/** One accepted payment, in the format of x402. */
export const PaymentRequirements = z
  .looseObject({
    scheme: z.literal("exact"),
    network: z.string().openapi({ example: "eip155:8453" }),
    amount: z.string().openapi({ description: "In the asset's smallest unit.", example: "10000" }),
    asset: z.string(),
    payTo: z.string(),
    maxTimeoutSeconds: z.int(),
    extra: z.record(z.string(), z.unknown()),
  })
  .openapi("PaymentRequirements");

const JsonSchema = z.record(z.string(), z.unknown()).openapi({ description: "A JSON Schema." });

const output = z
  .strictObject({
    version: z.string().openapi({ example: "1.0.0" }),
    resources: z
      .array(
        z.strictObject({
          path: z.string().openapi({ example: "/portfolio" }),
          method: z.string().openapi({ example: "GET" }),
          price: z.string().openapi({ example: "$0.01" }),
          network: z.string().openapi({ description: "The CAIP-2 id of the payment network.", example: "eip155:8453" }),
          description: z.string(),
          url: z.url(),
          x402Version: z.literal(2),
          accepts: z.array(PaymentRequirements),
          inputSchema: JsonSchema,
          outputSchema: JsonSchema,
        }),
      )
      .openapi({ description: "Empty if payment is not configured." }),
  })
  .openapi("X402Discovery");

const schemas = {
  inputSchema: inputJsonSchema(getPortfolio.input),
  outputSchema: outputJsonSchema(getPortfolio.output),
};

function resourceOf(terms: Parameters<typeof requirementsOf>[0], baseUrl: string) {
  const [method = "", path = ""] = getPortfolio.route.split(" ");
  return {
    path,
    method,
    price: terms.price,
    network: terms.network,
    description: getPortfolio.summary,
    url: `${baseUrl}${path}`,
    x402Version: 2 as const,
    accepts: [requirementsOf(terms)] as unknown as z.input<typeof PaymentRequirements>[],
    ...schemas,
  };
}

const getDiscovery = operation({
  route: "GET /.well-known/x402.json",
  // Some crawlers use this path.
  alias: "/.well-known/x402",
  summary: "The paid routes and their x402 payment terms.",
  description: "Also available at /.well-known/x402.",
  input: z.object({}),
  output,
  example: {},
  dependsOn: ["untracked"],
  async run({ payments }: Context, _, { baseUrl }) {
    const resources = payments ? [resourceOf(payments.terms, baseUrl)] : [];
    return { version: "1.0.0", resources };
  },
});

export const discovery = { discovery: getDiscovery };
