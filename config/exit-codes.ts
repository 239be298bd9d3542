/** The exit code for a configuration error (EX_CONFIG). A restart does not help. */
export const CONFIGURATION_ERROR = 78;
