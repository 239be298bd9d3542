const CELLS = 5;

/** A small deterministic hash of a text (FNV-1a). It draws pictures, and secures nothing. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return hash;
}

/** The path of a symmetric pattern: 15 bits decide the left half and the middle. */
function pattern(bits: number): string {
  let path = "";
  for (let column = 0; column < 3; column++)
    for (let row = 0; row < CELLS; row++) {
      if (!((bits >> (column * CELLS + row)) & 1)) continue;
      path += `M${column} ${row}h1v1h-1z`;
      if (column < 2) path += `M${CELLS - 1 - column} ${row}h1v1h-1z`;
    }
  return path;
}

/** A picture generated from an address or an id, so that a person recognizes it again. It identifies nobody. */
export function Mark({ of }: { of: string }) {
  const hash = hashOf(of);
  const hue = hash % 360;
  return (
    <svg class="mark" viewBox="0 0 5 5" aria-hidden="true">
      <rect width="5" height="5" fill={`hsl(${hue} 55% 88%)`} />
      <path d={pattern(hash >>> 9)} fill={`hsl(${hue} 60% 42%)`} />
    </svg>
  );
}
