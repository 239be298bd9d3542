import type { Pagination } from "../../client/src/api";
import { groupDigits } from "../../common/format";
import { withQuery } from "../links";
import { fromStart, nextPage, pageNumber, pageSizes, previousPage, sizeOf } from "../lists/query";
import type { Parameters } from "../page";
import { Segments } from "./blocks";

type Props = {
  path: string;
  parameters: Parameters;
  pagination: Pagination;
  /** The part of the page with the list. Without it, its top. */
  anchor?: string;
};

const digits = (value: number) => groupDigits(String(value));

/** Which rows the page has, such as "26–50 of 1,200". */
function rangeText(parameters: Parameters, { count, limit, total }: Pagination): string {
  const page = pageNumber(parameters);
  const of = total === undefined ? "" : ` of ${digits(total)}`;
  if (count === 0) return `0${of}`;
  if (page === undefined) return `${digits(count)}${of}`;
  const first = (page - 1) * limit;
  return `${digits(first + 1)}–${digits(first + count)}${of}`;
}

/** The way to the other pages of a list, and how many rows each has. */
export function Pager({ path, parameters, pagination, anchor }: Props) {
  const at = (address: string) => (anchor === undefined ? address : `${address}#${anchor}`);
  return (
    <div class="pager">
      <span>{rangeText(parameters, pagination)}</span>
      <nav class="pages" aria-label="Pages of the list">
        {parameters.cursor !== undefined && (
          <>
            <a href={at(withQuery(path, fromStart(parameters)))}>First</a>
            <a rel="prev" href={at(previousPage(path, parameters))}>
              Previous
            </a>
          </>
        )}
        {pagination.next_cursor !== null && (
          <a rel="next" href={at(nextPage(path, parameters, pagination.next_cursor))}>
            Next
          </a>
        )}
      </nav>
      <span class="sizes">
        Rows{" "}
        <Segments
          label="Rows of a page"
          segments={pageSizes.map((size) => ({
            title: size,
            href: at(withQuery(path, fromStart(parameters, { limit: size }))),
            isCurrent: sizeOf(parameters) === size,
          }))}
        />
      </span>
    </div>
  );
}
