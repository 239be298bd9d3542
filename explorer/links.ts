/** The addresses of the pages. API routes have others, so that their responses do not depend on the Accept header. */
const ROOT = "/explore";

/** Encodes a value for a path. A page's own pattern has parameters such as `:id`, which stay as they are. */
const part = (text: string) => (text.startsWith(":") ? text : encodeURIComponent(text));

const to = (folder: string) => (id: string) => `${ROOT}/${folder}/${part(id)}`;

export const links = {
  overview: "/",
  icon: "/favicon.svg",
  search: `${ROOT}/search`,
  preflight: `${ROOT}/preflight`,
  portfolio: `${ROOT}/portfolio`,
  status: `${ROOT}/status`,
  list: (name: string) => `${ROOT}/${name}`,
  /** The page with the records of a list of the API. Its filters have the same names. */
  listOfApi: (path: string) => ROOT + path,
  agent: to("agents"),
  account: to("accounts"),
  intent: to("intents"),
  solver: to("solvers"),
  attestor: to("attestors"),
  merchant: to("merchants"),
  service: to("services"),
  facilitator: to("facilitators"),
  quote: to("quotes"),
  receipt: to("receipts"),
  settlement: to("settlements"),
  dispute: to("disputes"),
  attestation: to("attestations"),
  schema: to("schemas"),
  token: to("tokens"),
  transaction: to("transactions"),
  block: to("blocks"),
  document: (kind: string, hash: string) => `${ROOT}/documents/${part(kind)}/${part(hash)}`,
  /** Finds the record that a hash or an id belongs to. */
  find: (text: string) => `${ROOT}/search?q=${encodeURIComponent(text)}`,
} as const;

/** The fragment of an operation on the reference page. */
export const operationId = (name: string): string => `operation-${name}`;

/** The operation on the reference page, which can send requests. */
export const operationLink = (name: string): string => `/docs#${operationId(name)}`;

/** An address with these parameters in its query, without those that are undefined. */
export function withQuery(path: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value);
  const text = query.toString();
  return text === "" ? path : `${path}?${text}`;
}
