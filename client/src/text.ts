/** Control characters, text direction marks, invisible characters and line separators. */
export const INVISIBLE: RegExp = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]+/gu;

/** The same without the joiners and variation selectors that some scripts and emoji need, and without line breaks. */
export const INVISIBLE_IN_PROSE: RegExp =
  /(?:(?!\t|\n|\r|\u200c|\u200d|\ufe0e|\ufe0f)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}])+/gu;
