import { join } from "node:path";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { openApiDocument } from "../../../api/transports/openapi";

const root = join(import.meta.dirname, "..", "..", "..");

/** A program with a generated client. Each @ts-expect-error is an error if its line compiles. */
const program = `
import createClient from "openapi-fetch";
import type { components, paths } from "./api";

const client = createClient<paths>({ baseUrl: "http://localhost:3001" });

export async function main(): Promise<string[]> {
  const { data, error } = await client.GET("/agents/{agentId}", { params: { path: { agentId: "1" } } });
  if (error) throw new Error(error.error);
  const agent: components["schemas"]["AgentRecord"] = data;
  const owner: string = agent.owner;
  // @ts-expect-error The field does not exist.
  void agent.agent_ID;

  const page = await client.GET("/intents", { params: { query: { status: "open", limit: 2 } } });
  const cursor: string | null | undefined = page.data?.pagination.next_cursor;
  const statuses = page.data?.intents.map(({ status }) => status satisfies "OPEN" | "FILLED" | "CANCELLED" | "EXPIRED");
  // @ts-expect-error The status does not exist.
  await client.GET("/intents", { params: { query: { status: "closed" } } });
  // @ts-expect-error The route does not exist.
  await client.GET("/nothing");

  const published = await client.POST("/catalogs", { body: { catalog_json: "{}", merchant_id: "1" } });
  const hash: string | undefined = published.data?.catalog_hash;
  // @ts-expect-error The document is missing.
  await client.POST("/catalogs", { body: { merchant_id: "1" } });
  return [owner, cursor ?? "", ...(statuses ?? []), hash ?? ""];
}
`;

/** Compiles sources in strict mode, without writing them, and returns the errors. */
function errorsOf(sources: Readonly<Record<string, string>>): string[] {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    types: [],
    strict: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    skipLibCheck: true,
  };
  const files = new Map(Object.entries(sources).map(([name, text]) => [join(root, "generated", name), text]));
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (file) => files.has(file) || fileExists(file);
  host.readFile = (file) => files.get(file) ?? readFile(file);
  host.directoryExists = undefined;
  host.getSourceFile = (file, ...rest) => {
    const text = files.get(file);
    return text === undefined ? getSourceFile(file, ...rest) : ts.createSourceFile(file, text, ts.ScriptTarget.ES2022);
  };
  const compiled = ts.createProgram([...files.keys()], options, host);
  return ts
    .getPreEmitDiagnostics(compiled)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}

describe("a client generated from the OpenAPI document", () => {
  it("compiles with openapi-typescript and openapi-fetch, and rejects wrong calls", async () => {
    const types = astToString(await openapiTS(JSON.stringify(openApiDocument())));
    expect(errorsOf({ "api.ts": types, "main.ts": program })).toEqual([]);
    const wrong = program.replace("// @ts-expect-error The field does not exist.", "");
    expect(errorsOf({ "api.ts": types, "main.ts": wrong })).toEqual([expect.stringContaining("agent_ID")]);
  }, 120_000);
});
