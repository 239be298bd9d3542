import { BaseSequencer, type TestSpecification } from "vitest/node";
import { durations, USUAL, USUAL_UNIT } from "./durations";

const durationOf = ({ moduleId }: TestSpecification) => {
  const [, name = ""] = /\/test\/(.*)\.test\.ts$/.exec(moduleId) ?? [];
  return durations[name] ?? (name.startsWith("unit/") ? USUAL_UNIT : USUAL);
};

/** Starts the longest files first. Files with the same duration run in alphabetical order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return [...files].sort(
      (one, other) => durationOf(other) - durationOf(one) || one.moduleId.localeCompare(other.moduleId),
    );
  }
}
