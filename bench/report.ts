/** The median of some measurements. */
export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return ((sorted[middle] ?? 0) + (sorted[sorted.length - 1 - middle] ?? 0)) / 2;
};

/** The smallest value that at least this share of the values does not exceed. */
export const percentile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
};

/** The slope of the line with the least squares through some points. */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const meanX = mean(points.map(([x]) => x));
  const meanY = mean(points.map(([, y]) => y));
  const covariance = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return covariance / points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
}

/** A row of a Markdown table. */
export const tableRow = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

/** The header of a Markdown table whose columns are numbers, except for the first. */
export const tableHeader = (columns: readonly string[]): string =>
  [tableRow(columns), tableRow(columns.map((_, column) => (column === 0 ? "---" : "---:")))].join("\n");

export const formatRate = (value: number): string => Math.round(value).toLocaleString("en-US");
