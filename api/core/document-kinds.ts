import type { DocumentKind } from "../offchain/documents";
import { isJsonObject } from "./inputs";

/**
 * The kinds of documents by the names in their `schema`, as the public deployment's clients write it: `cortex.<name>.v1`. Kinds
 * that are not published here by themselves are in words.
 */
const kindsByName: Readonly<
  Record<string, DocumentKind | "fulfillment plaintext" | "settlement plan" | "requirement">
> = {
  catalog: "catalog",
  "quote-request": "quote-request",
  "quote-response": "quote-response",
  "encrypted-fulfillment": "fulfillment-payload",
  "fulfillment-payload": "fulfillment-payload",
  "fulfillment-evidence": "fulfillment-evidence",
  "fulfillment-plaintext": "fulfillment plaintext",
  "settlement-plan": "settlement plan",
  "x402-payment-requirement": "requirement",
};

/**
 * The `schema` of a document, if it names another kind of document. Other identifiers may mean anything.
 *
 * @example
 * otherKindIn("catalog", '{"schema":"cortex.fulfillment-evidence.v1"}') // "cortex.fulfillment-evidence.v1"
 */
export function otherKindIn(kind: DocumentKind, text: string): string | undefined {
  const document: unknown = JSON.parse(text);
  const schema = isJsonObject(document) && Object.hasOwn(document, "schema") ? document.schema : undefined;
  if (typeof schema !== "string") return undefined;
  const [, name = ""] = /^cortex\.([a-z0-9-]+)\.v\d+$/.exec(schema) ?? [];
  const named = Object.hasOwn(kindsByName, name) ? kindsByName[name] : undefined;
  return named === undefined || named === kind ? undefined : schema;
}
