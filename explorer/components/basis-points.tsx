import { formatAmount } from "../../common/format";
import { None } from "./values";

/** Hundredths of a percent as a percentage. */
export const BasisPoints = ({ value }: { value: string | null }) =>
  value === null ? (
    <None>unknown</None>
  ) : (
    <data value={value} title={`${value} basis points`}>
      {formatAmount(value, 2)} %
    </data>
  );
