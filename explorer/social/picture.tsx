import { renderToString } from "preact-render-to-string";
import { LogoHalves } from "../logo";
import { linesOf } from "./lines";

/** The size that social networks recommend. */
const WIDTH = 1200;
const HEIGHT = 630;
const MARGIN = 80;

const FONT = "system-ui, -apple-system, Segoe UI, Roboto, Helvetica, Arial, sans-serif";

type LinesProps = { lines: readonly string[]; y: number; size: number; fill: string; weight: number };

const Lines = ({ lines, y, size, fill, weight }: LinesProps) => (
  <>
    {lines.map((line, index) => (
      <text
        key={index}
        x={MARGIN}
        y={y + index * size * 1.3}
        font-size={size}
        font-weight={weight}
        fill={fill}
        direction="ltr"
        unicode-bidi="isolate"
      >
        {line}
      </text>
    ))}
  </>
);

const TITLE_SIZE = 62;
const TEXT_SIZE = 32;

const linesWith = (text: string, size: number, maxLines: number) =>
  // No font has glyphs for these, and XML does not allow some of them.
  linesOf(text.replace(/[\p{C}]/gu, " "), (WIDTH - 2 * MARGIN) / size, maxLines);

/** What a picture shows. */
export type PictureText = { title: string; description: string; chainId: number };

/** The picture of a page as SVG: its title and description, shortened to what has room. */
export function renderPicture({ title, description, chainId }: PictureText): string {
  const titleLines = linesWith(title, TITLE_SIZE, 2);
  const textTop = 270 + titleLines.length * TITLE_SIZE * 1.3;
  const picture = (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      font-family={FONT}
    >
      <title>{linesWith(title, TITLE_SIZE, 2).join(" ")}</title>
      <rect width={WIDTH} height={HEIGHT} fill="#111827" />
      <g transform="translate(790 120) scale(22)" opacity="0.12">
        <LogoHalves fill="#a5a8ff" />
      </g>
      <g transform={`translate(${MARGIN} 72) scale(2.4)`}>
        <LogoHalves fill="#a5a8ff" />
      </g>
      <text x={MARGIN + 76} y="116" font-size="40" font-weight="700" fill="#ffffff">
        Intentry
      </text>
      <Lines lines={titleLines} y={270} size={TITLE_SIZE} fill="#ffffff" weight={700} />
      <Lines lines={linesWith(description, TEXT_SIZE, 4)} y={textTop} size={TEXT_SIZE} fill="#cbd5e1" weight={400} />
      <text x={MARGIN} y={HEIGHT - 44} font-size="26" fill="#94a3b8">
        {`Chain ${chainId}`}
      </text>
    </svg>
  );
  return renderToString(picture);
}
