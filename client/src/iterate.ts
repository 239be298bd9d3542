import type { Pagination } from "./api";
import type { InputOf, Query } from "./procedure";

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
  ...[input]: InputOf<Omit<Input, "cursor" | "offset">>
): AsyncGenerator<ItemOf<Answer>, void, undefined> {
  const query = list.query as unknown as (input: object) => Promise<Answer>;
  let cursor: string | null | undefined;
  do {
    const answer = await query({ ...input, ...(cursor && { cursor }) });
    // Beside the array an answer may repeat what was asked for, such as the account.
    for (const member of Object.values<unknown>(answer)) if (Array.isArray(member)) yield* member;
    cursor = answer.pagination.next_cursor;
  } while (cursor !== null);
}
