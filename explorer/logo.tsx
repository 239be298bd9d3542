/** The mark: two halves of a trade that meet. */
const halves = [
  { path: "M12 1.5 22.5 12 12 22.5V16l4-4-4-4z", opacity: 1 },
  { path: "M12 1.5V8l-4 4 4 4v6.5L1.5 12z", opacity: 0.55 },
] as const;

/** The color of the mark where no style sheet sets one. */
const BRAND_COLOR = "#4f46e5";

/** The mark as a part of a picture of 24 by 24. */
export const LogoHalves = ({ fill }: { fill: string }) => (
  <>
    {halves.map(({ path, opacity }) => (
      <path key={path} d={path} fill={fill} opacity={opacity} />
    ))}
  </>
);

/** The mark in the color of the text. */
export const Logo = () => (
  <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
    <LogoHalves fill="currentColor" />
  </svg>
);

/** The icon of the pages. */
export const Icon = () => (
  <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="64" height="64">
    <title>Intentry</title>
    <LogoHalves fill={BRAND_COLOR} />
  </svg>
);
