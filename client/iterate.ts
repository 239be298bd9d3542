import type { Pagination } from "./api";
import type { Query } from "./procedure";

type Page = { pagination: Pagination };

/** What a list is a list of: the elements of the one array beside its pagination. */
type ItemOf<Answer> = {
  [Key in Exclude<keyof Answer, "pagination">]: Answer[Key] extends readonly (infer Item)[] ? Item : never;
}[Exclude<keyof Answer, "pagination">];

/**
 * Every item of a list, page after page.
 *
 * @example
 * for await (const intent of iterate(intentry.intents.list, { status: "open" })) console.log(intent.intent_id);
 */
export async function* iterate<Input extends { cursor?: string }, Answer extends Page>(
  list: Query<Input, Answer>,
  input: Omit<Input, "cursor" | "offset">,
): AsyncGenerator<ItemOf<Answer>, void, undefined> {
  const query = list.query as unknown as (input: object) => Promise<Answer>;
  let cursor: string | null | undefined;
  do {
    const { pagination, ...lists } = await query({ ...input, ...(cursor && { cursor }) });
    for (const items of Object.values(lists)) yield* items as ItemOf<Answer>[];
    cursor = pagination.next_cursor;
  } while (cursor !== null);
}
