import type { ComponentChildren } from "preact";
import { formatDay } from "../../common/format";
import { withQuery } from "../links";
import { type Filter, fromStart, type ListQuery, secondsOfDay } from "../lists/query";
import type { Parameters } from "../page";
import { Segments } from "./blocks";
import { Hex } from "./hex";
import { RecordLink } from "./record-link";
import { Token } from "./tokens";
import { Account } from "./values";

type Props = { path: string; query: ListQuery; parameters: Parameters };

const isAddress = (text: string) => /^0x[0-9a-f]{40}$/i.test(text);

/** The value of a filter as a person reads it. What a person typed wrong stays as it is. */
function shownValue(filter: Filter, text: string): ComponentChildren {
  const value = text.toLowerCase();
  switch (filter.kind) {
    case "account":
      return isAddress(text) ? <Account value={value} bare /> : <bdi>{text}</bdi>;
    case "token":
      return isAddress(text) ? <Token value={value} /> : <bdi>{text}</bdi>;
    case "hash":
      return /^0x[0-9a-f]{64}$/.test(value) ? <Hex value={value} bare /> : <bdi>{text}</bdi>;
    case "record":
      return /^\d{1,78}$/.test(text) ? <RecordLink kind={filter.record} id={text} /> : <bdi>{text}</bdi>;
    case "text":
      return <bdi>{text}</bdi>;
    case "choice":
      return filter.options.find(([option]) => option === value)?.[1] ?? <bdi>{text}</bdi>;
    default: {
      const seconds = secondsOfDay(text) ?? (/^\d{1,12}$/.test(text) ? Number(text) : undefined);
      return seconds === undefined ? <bdi>{text}</bdi> : formatDay(BigInt(seconds));
    }
  }
}

/** The filters that are active, each with a link that removes it. */
export function ActiveFilters({ path, query, parameters }: Props) {
  const active = query.filters.flatMap((filter) => {
    const text = parameters[filter.name];
    return text === undefined ? [] : [{ filter, text }];
  });
  if (active.length === 0) return null;
  const without = Object.fromEntries(active.map(({ filter }) => [filter.name, undefined]));
  return (
    <ul class="chips" aria-label="Active filters">
      {active.map(({ filter, text }) => (
        <li key={filter.name} data-filter={filter.name}>
          <span>
            {filter.label}: {shownValue(filter, text)}
          </span>
          <a class="remove" href={withQuery(path, fromStart(parameters, { [filter.name]: undefined }))}>
            <span class="visually-hidden">Remove the filter {filter.label}</span>×
          </a>
        </li>
      ))}
      {active.length > 1 && (
        <li class="plain">
          <a href={withQuery(path, fromStart(parameters, without))}>Clear all</a>
        </li>
      )}
    </ul>
  );
}

/** The values of the filter that most readers use, as links. */
export function QuickFilter({ path, query, parameters }: Props) {
  const [filter] = query.filters;
  if (filter?.kind !== "choice") return null;
  const current = parameters[filter.name]?.toLowerCase();
  const segment = (value: string | undefined, title: string) => ({
    title,
    href: withQuery(path, fromStart(parameters, { [filter.name]: value })),
    isCurrent: current === value,
  });
  return (
    <Segments
      label={filter.label}
      segments={[
        ...(query.usual ? [] : [segment(undefined, "All")]),
        ...filter.options.map(([value, label]) => segment(value, label)),
      ]}
    />
  );
}

type SelectProps = {
  name: string;
  value: string;
  options: readonly (readonly [value: string, label: string])[];
};

const Select = ({ name, value, options }: SelectProps) => (
  <select id={`filter-${name}`} name={name}>
    {options.map(([option, label]) => (
      <option key={option} value={option} selected={option === value}>
        {label}
      </option>
    ))}
  </select>
);

const hints: Partial<Record<Filter["kind"], string>> = {
  account: "0x and 40 digits",
  token: "0x and 40 digits",
  hash: "0x and 64 digits",
  record: "A number",
};

/** The control of a filter. A wrong value stays in it. */
function Control({ filter, text = "" }: { filter: Filter; text: string | undefined }) {
  if (filter.kind === "choice") {
    const options = [["", "Any"] as const, ...filter.options];
    const isKnown = options.some(([value]) => value === text.toLowerCase());
    return (
      <Select
        name={filter.name}
        value={isKnown ? text.toLowerCase() : text}
        options={isKnown ? options : [...options, [text, text]]}
      />
    );
  }
  const isDay = filter.kind === "from" || filter.kind === "to";
  const field = { id: `filter-${filter.name}`, name: filter.name, value: text };
  if (isDay && (text === "" || secondsOfDay(text) !== undefined)) return <input type="date" {...field} />;
  return <input {...field} placeholder={hints[filter.kind]} maxLength={100} autocomplete="off" spellcheck={false} />;
}

type FormProps = Props & { isOpen: boolean };

/** A form that changes the filters and the order, without JavaScript. */
export const FilterForm = ({ path, query, parameters, isOpen }: FormProps) => {
  const { filters, sorts } = query;
  const count = filters.filter(({ name }) => parameters[name] !== undefined).length;
  return (
    <details class="filter-form" open={isOpen}>
      <summary class="button">{count === 0 ? "Filter and sort" : `Filter and sort (${count})`}</summary>
      <form class="form" action={path} method="get">
        {filters.map((filter) => (
          <label key={filter.name} for={`filter-${filter.name}`}>
            {filter.label}
            <Control filter={filter} text={parameters[filter.name]} />
          </label>
        ))}
        {sorts.length > 1 && (
          <label for="filter-sort">
            Order
            <Select
              name="sort"
              value={parameters.sort ?? sorts[0]?.name ?? ""}
              options={sorts.map(({ name, label }) => [name, label])}
            />
          </label>
        )}
        {parameters.limit !== undefined && <input type="hidden" name="limit" value={parameters.limit} />}
        <div>
          <button type="submit" class="primary">
            Apply
          </button>{" "}
          <a class="button" href={path}>
            Clear
          </a>
        </div>
      </form>
    </details>
  );
};
