/** The Content-Security-Policy of all pages: nothing from other origins, and no inline script or style. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

/** The Content-Security-Policy of SVG pictures, which a browser could otherwise open as documents. */
export const PICTURE_POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'";
