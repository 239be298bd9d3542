import type { Pagination } from "./api";
import type { InputOf, Query } from "./procedure";

type Page = { pagination: Pagination };

/** The item type of a list: the element type of its array. */
type ItemOf<Output> = {
  [Key in Exclude<keyof Output, "pagination">]: Output[Key] extends readonly (infer Item)[] ? Item : never;
}[Exclude<keyof Output, "pagination">];

/**
 * Yields every item of a list, and requests the pages as needed.
 *
 * @example
 * for await (const intent of iterate(intentry.intents.list, { status: "open" })) console.log(intent.intent_id);
 */
export async function* iterate<Input extends { cursor?: string }, Output extends Page>(
  list: Query<Input, Output>,
  ...[input]: InputOf<Omit<Input, "cursor" | "offset">>
): AsyncGenerator<ItemOf<Output>, void, undefined> {
  const query = list.query as unknown as (input: object) => Promise<Output>;
  let cursor: string | null | undefined;
  do {
    const response = await query({ ...input, ...(cursor && { cursor }) });
    // A response may also repeat a parameter, such as the account.
    for (const member of Object.values<unknown>(response)) if (Array.isArray(member)) yield* member;
    cursor = response.pagination.next_cursor;
  } while (cursor !== null);
}
