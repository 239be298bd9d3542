import type { SearchResult } from "../../client/src/api";
import { type Column, type Rows, Table } from "./blocks";
import { RecordLink, recordTitle } from "./record-link";
import { Amount } from "./tokens";
import { Active, Count, None, Status } from "./values";

const name: Column<SearchResult> = {
  label: "Name",
  cell: ({ type, id, name, service_id, description }) => (
    <span class="described">
      <span>
        <RecordLink kind={type} id={id} name={name ?? service_id} />
      </span>
      {description !== null && <bdi class="note">{description}</bdi>}
    </span>
  ),
};

const fulfilled: Column<SearchResult> = {
  label: "Fulfilled",
  isNumber: true,
  cell: (result) => <Count value={result.fulfilled} />,
};

const disputes: Column<SearchResult> = {
  label: "Disputes",
  isNumber: true,
  cell: (result) => <Count value={result.disputes} />,
};

const price: Column<SearchResult> = {
  label: "Last price",
  isNumber: true,
  cell: (result) =>
    result.price === null || result.price_token === null ? (
      <None />
    ) : (
      <Amount value={result.price} token={result.price_token} />
    ),
};

const resultColumns: readonly Column<SearchResult>[] = [
  name,
  { label: "Record", cell: ({ type, id }) => recordTitle(type, id) },
  { label: "State", cell: ({ active }) => <Active value={active} /> },
  { label: "Metadata", cell: ({ metadata_state }) => <Status value={metadata_state} /> },
  fulfilled,
  disputes,
  price,
];

const keyOf = ({ type, id }: SearchResult) => `${type} ${id}`;

/** Records of all kinds, by name. */
export const ResultTable = ({ rows, caption }: Rows<SearchResult>) => (
  <Table caption={caption} empty="No records." rows={rows} rowKey={keyOf} columns={resultColumns} />
);
