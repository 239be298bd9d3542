import { wholeNumber } from "../values";
import type { VariableGroup } from "../variable";

export const events = {
  title: "Live events",
  variables: {
    EVENT_STREAMS: {
      property: "maxListeners",
      schema: wholeNumber(1, 1_000_000),
      default: "2000",
      description: "Maximum number of open event streams per process. Further requests return 503.",
    },
    EVENT_STREAMS_PER_CLIENT: {
      schema: wholeNumber(1, 1_000_000),
      default: { elsewhere: "100" },
      description: "Maximum number of open event streams per client and process. Further requests return 429.",
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
        "Number of recent messages in the buffer, up to 32 MiB. A subscriber that falls further behind is disconnected.",
    },
  },
} as const satisfies VariableGroup;
