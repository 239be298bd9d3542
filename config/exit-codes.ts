/** The exit code for a configuration error (EX_CONFIG). A restart does not help. */
export const CONFIGURATION_ERROR = 78;

/** The exit code of an indexer that lost a connection to its database (EX_TEMPFAIL). */
export const DATABASE_LOST = 75;
