/** The exit code of a process that was configured wrongly: starting it again does not help. */
export const CONFIGURATION_ERROR = 78;
