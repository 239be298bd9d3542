/** The maximum number of values in a schema: members of objects, and items of arrays. */
const MAX_VALUES = 10_000;

/** The maximum number of items of an `enum`. Drafts 6 and 7 require distinct items, and each is compared with all others. */
const MAX_ENUM_ITEMS = 1_000;

/** Returns why a schema is too large to be validated, or null. Takes time proportional to the schema's size. */
export function boundsProblem(schema: Record<string, unknown>): string | null {
  let values = 0;
  const pending: unknown[] = [schema];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value !== "object" || value === null) continue;
    if ("enum" in value && Array.isArray(value.enum) && value.enum.length > MAX_ENUM_ITEMS)
      return `must have at most ${MAX_ENUM_ITEMS} items in an enum`;
    const members = Object.values(value);
    values += members.length;
    if (values > MAX_VALUES) return `must have at most ${MAX_VALUES} values`;
    for (const member of members) pending.push(member);
  }
  return null;
}
