import type { SearchMatch } from "../client/src/api";
import { recordTitle } from "./components/record-link";
import { documentKinds } from "./documents";
import { links } from "./links";

/** A page that a text identifies. */
export type PageMatch = { title: string; href: string };

/** The page of a match of a search. */
export function pageOf({ type, id, name }: SearchMatch): PageMatch {
  switch (type) {
    case "account":
      return { title: "Account", href: links.account(id) };
    case "transaction":
      return { title: "Transaction", href: links.transaction(id) };
    case "quote":
      return { title: "Quote", href: links.quote(id) };
    case "settlement":
      return { title: "Settlement", href: links.settlement(id) };
    case "schema":
      return { title: `Attestation schema ${name ?? ""}`.trim(), href: links.schema(id) };
    case "token":
      return { title: `Token ${name ?? ""}`.trim(), href: links.token(id) };
    case "catalog":
    case "quote-request":
    case "quote-response":
    case "fulfillment-payload":
    case "fulfillment-evidence": {
      const { kind, title } = documentKinds.find(({ kind }) => kind.startsWith(type)) ?? { kind: type, title: type };
      return { title, href: links.document(kind, id) };
    }
    default:
      return { title: recordTitle(type, id), href: links[type](id) };
  }
}
