import { useState } from "preact/hooks";
import { formatDay, formatTime } from "../../common/format";
import { shortNumber } from "../text/short-number";
import { Table } from "./blocks";

/** A value of an interval. Values are decimal numbers of any size. */
type Point = { start: string; value: string };

type ChartProps = {
  title: string;
  points: readonly Point[];
  interval: keyof typeof names;
  /** Writes a value in full. */
  text: (value: string) => string;
  /** Writes a value beside the axis. Default: {@link shortNumber}. */
  tick?: (value: string) => string;
  small?: boolean;
};

const HEIGHT = 100;
const SLOT = 10;

const names = { hour: "Hour", day: "Day", week: "Week" } as const;

/** The smallest of 1, 2, 2.5 and 5 times a power of ten that is not below a value. */
function ceiling(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= value) ?? 10) * power;
}

/** Decimal digits of a number of an axis; JavaScript writes large ones with an exponent. */
function digitsOf(value: number): string {
  if (value < 1e15) return String(Number(value.toPrecision(3)));
  const [digits = "", exponent] = value.toExponential(2).split("e+");
  return digits.replace(".", "").padEnd(Number(exponent) + 1, "0");
}

const heightOf = (value: number, top: number) => (value === 0 ? 0 : Math.max(1, (value / top) * HEIGHT));

/** A series as columns with axes. The value of a column is shown at the pointer, and with the arrow keys. */
export function Chart({ title, points, interval, text, tick = shortNumber, small }: ChartProps) {
  const [current, setCurrent] = useState<number>();
  const values = points.map(({ value }) => Number(value));
  const top = ceiling(Math.max(0, ...values));
  const nameOf = ({ start }: Point) => (interval === "hour" ? formatTime : formatDay)(BigInt(start));
  const shown = current === undefined ? undefined : points[current];
  const move = (steps: number) =>
    setCurrent(Math.min(points.length - 1, Math.max(0, (current ?? points.length) + steps)));
  const marks =
    points.length > 2 ? [0, Math.floor((points.length - 1) / 2), points.length - 1] : points.map((_, index) => index);
  return (
    <>
      <div class={small ? "chart small" : "chart"}>
        <div
          class="plot"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys read its values
          tabIndex={0}
          role="img"
          aria-label={`${title}. The arrow keys read its values, and the table below has them.`}
          onPointerMove={({ currentTarget, clientX }) => {
            const { left, width } = currentTarget.getBoundingClientRect();
            setCurrent(
              Math.min(points.length - 1, Math.max(0, Math.floor(((clientX - left) / width) * points.length))),
            );
          }}
          onPointerLeave={() => setCurrent(undefined)}
          onBlur={() => setCurrent(undefined)}
          onKeyDown={(event) => {
            const steps = { ArrowLeft: -1, ArrowRight: 1, Home: -points.length, End: points.length }[event.key];
            if (steps === undefined) return;
            event.preventDefault();
            move(steps);
          }}
        >
          <svg viewBox={`0 0 ${points.length * SLOT} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
            {[0, 0.5].map((part) => (
              <line key={part} class="grid" x2={points.length * SLOT} y1={part * HEIGHT} y2={part * HEIGHT} />
            ))}
            {points.map(({ start }, index) => {
              const height = heightOf(values[index] ?? 0, top);
              return (
                <g key={start} class={index === current ? "column current" : "column"}>
                  <rect class="slot" x={index * SLOT} width={SLOT} height={HEIGHT} />
                  <rect class="bar" x={index * SLOT + 1} y={HEIGHT - height} width={SLOT - 2} height={height} />
                </g>
              );
            })}
          </svg>
          {shown && current !== undefined && (
            <div
              class="tip"
              style={
                current < points.length / 2
                  ? { left: `${((current + 1) / points.length) * 100}%` }
                  : { right: `${(1 - current / points.length) * 100}%` }
              }
            >
              {nameOf(shown)}
              <strong>{text(shown.value)}</strong>
            </div>
          )}
        </div>
        <div class="y" aria-hidden="true">
          {[top, top / 2, 0].map((value) => (
            <span key={value}>{tick(digitsOf(value))}</span>
          ))}
        </div>
        <div class="x" aria-hidden="true">
          {marks.map((index) => {
            const point = points[index];
            return point && <span key={index}>{nameOf(point)}</span>;
          })}
        </div>
      </div>
      <p class="visually-hidden" aria-live="polite">
        {shown && `${nameOf(shown)}: ${text(shown.value)}`}
      </p>
      <details class="fold">
        <summary>Values by {interval}</summary>
        <Table
          caption={title}
          empty={`Every ${interval} has zero.`}
          rows={points.filter(({ value }) => value !== "0")}
          rowKey={({ start }) => start}
          columns={[
            { label: names[interval], cell: nameOf },
            { label: "Value", isNumber: true, cell: ({ value }) => <data value={value}>{text(value)}</data> },
          ]}
        />
      </details>
    </>
  );
}

/** The course of a few values, without numbers: decoration beside a number. */
export function Sparkline({ values }: { values: readonly string[] }) {
  const numbers = values.map(Number);
  const top = Math.max(...numbers);
  if (numbers.length < 2 || top === 0) return null;
  const path = numbers
    .map(
      (value, index) => `${index === 0 ? "M" : "L"}${(index / (numbers.length - 1)) * 96} ${30 - (value / top) * 28}`,
    )
    .join("");
  return (
    <svg class="spark" viewBox="0 0 96 32" preserveAspectRatio="none" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}
