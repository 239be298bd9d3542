/** The paths of all fields of an answer, such as `agents[].id`. The items of a list share theirs. */
export function fieldsOf(value: unknown, path = ""): Set<string> {
  if (Array.isArray(value)) return new Set(value.flatMap((item) => [...fieldsOf(item, `${path}[]`)]));
  if (typeof value !== "object" || value === null) return new Set();
  return new Set(
    Object.entries(value).flatMap(([name, field]) => {
      const at = path === "" ? name : `${path}.${name}`;
      return [at, ...fieldsOf(field, at)];
    }),
  );
}

/** Says which fields only one of two answers has. Undefined if they have the same. */
export function fieldDifference(ours: unknown, theirs: unknown): string | undefined {
  const [own, other] = [fieldsOf(ours), fieldsOf(theirs)];
  const only = (label: string, fields: Set<string>, without: Set<string>) => {
    const names = [...fields].filter((field) => !without.has(field));
    return names.length > 0 ? [`only ${label}: ${names.join(", ")}`] : [];
  };
  return [...only("ours", own, other), ...only("theirs", other, own)].join("; ") || undefined;
}
