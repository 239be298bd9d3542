import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { skeletonsOf } from "../../api/trust/look-alike";

describe("the names that a name may pass for", () => {
  it.each([
    ["Skyline Data", "in another case"],
    ["SKYLINE DATA", "in another case"],
    ["Skylіne Dаta", "with Cyrillic letters"],
    ["SΚΥLΙΝΕ DΑΤΑ", "with Greek capitals"],
    ["Sky1ine Data", "with a digit"],
    ["SkyIine Data", "with a capital I"],
    ["Sky\u200dline  Data ", "with a joiner and more spaces"],
    ["Ｓｋｙｌｉｎｅ Ｄａｔａ", "in fullwidth letters"],
    ["𝐒𝐤𝐲𝐥𝐢𝐧𝐞 𝐃𝐚𝐭𝐚", "in mathematical letters"],
  ])("contain skyline data for %s, %s", (name) => {
    expect(skeletonsOf(name)).toContain("skyline data");
  });

  it.each(["Skyline-Data", "Skyline Data Inc", "Data Skyline", "Skylime Data"])("do not for %s", (name) => {
    expect(skeletonsOf(name)).not.toContain("skyline data");
  });

  it("contain the name itself in lowercase, and no others for a plain one", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."abcxyz-"), minLength: 1 }), (name) => {
        expect(new Set(skeletonsOf(name))).toEqual(new Set([name]));
        expect(skeletonsOf(name.toUpperCase())).toContain(name);
      }),
    );
  });
});
