const startedAt = performance.timeOrigin;

/**
 * Milliseconds since 1970 by a clock that never steps: when the process started, plus the time since then. For limits, leases,
 * deadlines and ages within a process. The system's clock may be set back, which would make them last longer.
 */
export const steadyTime = (): number => startedAt + performance.now();
