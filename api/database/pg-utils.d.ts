/** The part of pg that converts values to parameters of a query. Its types lack it. */
declare module "pg/lib/utils.js" {
  const utils: { prepareValue: (value: unknown) => string | Buffer | null };
  export default utils;
}
