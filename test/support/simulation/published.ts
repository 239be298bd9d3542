import { isDeepStrictEqual } from "node:util";
import { type Hex, keccak256, stringToBytes } from "viem";
import type { Random } from "../actions/random";
import type { Request } from "../same-answers/examples";
import { get } from "./requests";
import { anyManner, type Writes } from "./writes";

type Kind = { name: string; path: string; text: string };
const kinds: readonly [Kind, ...Kind[]] = [
  { name: "documents.publishCatalog", path: "/catalogs", text: "catalog_json" },
  { name: "documents.publishQuoteRequest", path: "/quote-requests", text: "quote_request_json" },
  { name: "documents.publishQuoteResponse", path: "/quote-responses", text: "quote_response_json" },
];

type Published = { path: string; text: string };
type Schema = { schema_hash: Hex };

/** Clients that publish documents and attestation schemas. Each text and each name is used once. */
export class Publishers {
  private readonly documents: Published[] = [];
  private readonly schemas: Schema[] = [];
  private number = 0;

  constructor(
    private readonly writes: Writes,
    private readonly random: Random,
  ) {}

  publishDocument(): void {
    const { random } = this;
    const kind = random.pick(kinds);
    const manner = anyManner(random);
    const text = JSON.stringify({
      number: this.number++,
      padding: "x".repeat(random.below(random.pick([10, 50_000]))),
    });
    const fields = { merchant_id: String(random.below(5)) };
    void this.writes.send(kind.name, { [kind.text]: text, ...fields }, manner).then(({ state }) => {
      if (state === "acknowledged")
        this.documents.push({ path: `${kind.path}/${keccak256(stringToBytes(text))}`, text });
    });
  }

  publishSchema(): void {
    const { random } = this;
    const manner = anyManner(random);
    const input = { name: `schema-${this.number++}`, json_schema: { type: "object", minProperties: random.below(9) } };
    void this.writes.send<Schema>("schemas.publish", input, manner).then((outcome) => {
      if (outcome.state === "acknowledged") this.schemas.push(outcome.body);
    });
  }

  /** The acknowledged documents and schemas that are not served. */
  async lost(apiUrl: string): Promise<string[]> {
    const lost: string[] = [];
    for (const { path, text } of this.documents) {
      const response = await fetch(`${apiUrl}${path}`);
      if ((await response.text()) !== text) lost.push(`${path}: ${response.status}`);
    }
    for (const schema of this.schemas) {
      const path = `/attestations/schemas/${schema.schema_hash}`;
      const answer = await get(apiUrl, path);
      if (!isDeepStrictEqual(answer, { status: 200, body: schema })) lost.push(`${path}: ${JSON.stringify(answer)}`);
    }
    return lost;
  }

  /** The reads of everything that was published. */
  reads(): Request[] {
    const paths = this.documents.flatMap(({ path }) => [path, `${path}/metadata`]);
    return paths.map((path) => ({ method: "GET", path }));
  }
}
