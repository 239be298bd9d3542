/** One row of the plot: a label and its ratios. */
export type Bar = { label: string; cold: number; hot: number | undefined };

const WIDTH = 860;
const LABEL_WIDTH = 300;
const ROW_HEIGHT = 18;
const TOP = 64;
const SCALE_WIDTH = WIDTH - LABEL_WIDTH - 60;
const TICKS = [0.5, 1, 2, 4, 8, 16, 32];

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** The horizontal position of a ratio, on a logarithmic scale. */
const positionOf = (ratio: number) => {
  const [lowest = 0, highest = 1] = [TICKS[0], TICKS.at(-1)].map((tick) => Math.log(tick ?? 1));
  const share = (Math.log(ratio) - lowest) / (highest - lowest);
  return LABEL_WIDTH + SCALE_WIDTH * Math.min(1, Math.max(0, share));
};

const tickLine = (ratio: number, height: number) => {
  const x = positionOf(ratio).toFixed(1);
  const line = `<line x1="${x}" x2="${x}" y1="${TOP - 8}" y2="${height - 10}" class="${ratio === 1 ? "one" : "tick"}"/>`;
  return `${line}<text x="${x}" y="${TOP - 14}" text-anchor="middle">${ratio}×</text>`;
};

const point = (ratio: number, y: number, kind: "cold" | "hot") =>
  `<circle cx="${positionOf(ratio).toFixed(1)}" cy="${y}" r="4" class="${kind}"><title>${ratio.toFixed(2)}</title></circle>`;

function row({ label, cold, hot }: Bar, index: number): string {
  const y = TOP + index * ROW_HEIGHT + ROW_HEIGHT / 2;
  const points = [point(cold, y, "cold"), ...(hot === undefined ? [] : [point(hot, y, "hot")])];
  return `<text x="${LABEL_WIDTH - 12}" y="${y + 4}" text-anchor="end">${escaped(label)}</text>${points.join("")}`;
}

/** An SVG with the ratio of each route to the baseline, on a logarithmic scale. */
export function ratioPlot(title: string, bars: readonly Bar[]): string {
  const height = TOP + bars.length * ROW_HEIGHT + 20;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" font-family="sans-serif" font-size="12">`,
    `<title>${escaped(title)}</title>`,
    "<style>text{fill:#333}.tick{stroke:#ddd}.one{stroke:#333}.cold{fill:#2563eb}.hot{fill:#dc2626}</style>",
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    `<text x="12" y="20" font-size="14">${escaped(title)}</text>`,
    `<circle cx="18" cy="36" r="4" class="cold"/><text x="28" y="40">without cache</text>`,
    `<circle cx="138" cy="36" r="4" class="hot"/><text x="148" y="40">from the cache</text>`,
    ...TICKS.map((tick) => tickLine(tick, height)),
    ...bars.map(row),
    "</svg>",
    "",
  ].join("\n");
}
