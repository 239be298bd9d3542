import { wholeNumber } from "../values";
import type { VariableGroup } from "../variable";

export const events = {
  title: "Live events",
  variables: {
    EVENT_STREAMS: {
      property: "maxListeners",
      schema: wholeNumber(1, 1_000_000),
      default: "2000",
      description: "How many event streams a process may have open at once. One more returns 503.",
    },
    EVENT_STREAMS_PER_CLIENT: {
      schema: wholeNumber(1, 1_000_000),
      default: { elsewhere: "100" },
      description: "How many of these streams one client may have open. One more returns 429.",
    },
    EVENT_HEARTBEAT_MS: {
      property: "eventHeartbeatMs",
      schema: wholeNumber(10, 600_000),
      default: "15000",
      description: "Interval of heartbeats on an idle stream, in milliseconds.",
    },
    EVENT_BUFFER: {
      property: "keptMessages",
      schema: wholeNumber(1, 1_000_000),
      default: "10000",
      description:
        "How many of the last messages are buffered, up to 32 MiB. A subscriber that falls further behind is disconnected.",
    },
  },
} as const satisfies VariableGroup;
