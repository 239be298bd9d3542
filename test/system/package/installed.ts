import { inject } from "vitest";
import { ask } from "../../support/once-per-run";
import type { InstalledPackage } from "../../support/package-installation";

/** The package, installed from its tarball into an empty project. Test files share it, and must not change it. */
export const installedPackage = () => ask<InstalledPackage>(inject("installedPackage"), 500_000);
