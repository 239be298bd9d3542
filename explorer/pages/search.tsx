import type { Pagination, SearchMatch, SearchResult } from "../../client/src/api";
import { Empty, Heading, Pages, Section } from "../components/blocks";
import { ResultTable } from "../components/results";
import { pageOf } from "../exact-matches";
import { links, operationLink } from "../links";
import { type Parameters, page, Redirect, type ViewProps } from "../page";
import type { Reads } from "../reads";

const SHOWN = 50;

const types = ["agent", "merchant", "service", "facilitator", "solver", "attestor"] as const;

type Data = {
  text: string;
  matches: readonly SearchMatch[];
  /** Null without a text or a type. */
  found: { results: readonly SearchResult[]; pagination: Pagination } | null;
};

/** The input of a search. Unknown values are sent as they are, and the API says what is wrong with them. */
const inputOf = (text: string, { type, active, cursor }: Parameters) => ({
  ...(text !== "" && { q: text }),
  ...(type && { type: type as (typeof types)[number] }),
  ...(active && { active: active as unknown as boolean }),
  ...(cursor && { cursor }),
  limit: SHOWN,
});

type SelectProps = { name: string; label: string; value: string; options: readonly (readonly [string, string])[] };

const Select = ({ name, label, value, options }: SelectProps) => (
  <label>
    {label}
    <select name={name}>
      {options.map(([option, text]) => (
        <option key={option} value={option} selected={option === value}>
          {text}
        </option>
      ))}
    </select>
  </label>
);

const SearchForm = ({ text, parameters: { type = "", active = "" } }: { text: string; parameters: Parameters }) => (
  <form class="form filters" action={links.search} method="get">
    <label>
      Text
      <input name="q" value={text} maxLength={200} autocomplete="off" spellcheck={false} />
      <span class="hint">
        Words, an id (5, intent 5), a token's symbol, or the first digits of an address or hash (0x1234).
      </span>
    </label>
    <Select name="type" label="Type" value={type} options={[["", "all"], ...types.map((one) => [one, one] as const)]} />
    <Select
      name="active"
      label="State"
      value={active}
      options={[
        ["", "all"],
        ["true", "active"],
        ["false", "inactive"],
      ]}
    />
    <div>
      <button type="submit" class="primary">
        Find
      </button>
    </div>
  </form>
);

const resultsTitle = ({ results, pagination }: NonNullable<Data["found"]>) =>
  pagination.next_cursor === null ? "Results" : `The best ${results.length} results`;

const SearchView = ({ data: { text, matches, found }, parameters }: ViewProps<Data>) => (
  <>
    <Heading
      kind="Search"
      lead="Finds agents, merchants, services, facilitators, solvers and attestors by their texts, and every record by its id, address or hash."
      actions={
        <a class="button" href={operationLink("search.find")}>
          Use the API
        </a>
      }
    >
      {text === "" ? "Find a record" : <bdi>{text}</bdi>}
    </Heading>
    <section class="card" aria-label="Query">
      <SearchForm text={text} parameters={parameters} />
    </section>
    {matches.length > 0 && (
      <Section title="Exact matches" id="matches">
        <ul class="sentences">
          {matches.map(pageOf).map(({ title, href }) => (
            <li key={href}>
              <a href={href}>{title}</a>
            </li>
          ))}
        </ul>
      </Section>
    )}
    {found && (found.results.length > 0 || matches.length === 0) && (
      <Section title={resultsTitle(found)} id="results" note={found.results.length > 0 && "Best first"}>
        {found.results.length === 0 ? (
          <Empty title="Nothing found">Try another word, the beginning of one, or fewer filters.</Empty>
        ) : (
          <ResultTable rows={found.results} caption="Results, best first" />
        )}
        <Pages path={links.search} parameters={parameters} pagination={found.pagination} />
      </Section>
    )}
  </>
);

async function load(api: Reads, parameters: Parameters): Promise<Data> {
  const text = (parameters.q ?? "").trim();
  if (text === "" && !parameters.type) return { text, matches: [], found: null };
  const { matches, ...found } = await api.search.find.query(inputOf(text, parameters));
  const [only] = matches;
  // Words may also find other records. An id, an address or a hash means the record itself.
  const isExact = found.results.length === 0 || /^0x|\d$/i.test(text);
  if (only && matches.length === 1 && isExact) throw new Redirect(pageOf(only).href);
  return { text, matches, found };
}

/** Finds records by name, description, id, address or hash. An exact match without filters is shown at once. */
export const searchPage = page<Data>({
  path: links.search,
  title: ({ text }) => (text === "" ? "Search" : `Search: ${text}`),
  load,
  View: SearchView,
});
