import { BaseSequencer, type TestSpecification } from "vitest/node";
import { durations, USUAL } from "./durations";

const durationOf = ({ moduleId }: TestSpecification) => {
  const [, name = ""] = /\/test\/(.*)\.test\.ts$/.exec(moduleId) ?? [];
  return durations[name] ?? USUAL;
};

/** Starts the longest files first; files of the same length run in the order of their names. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return [...files].sort(
      (one, other) => durationOf(other) - durationOf(one) || one.moduleId.localeCompare(other.moduleId),
    );
  }
}
