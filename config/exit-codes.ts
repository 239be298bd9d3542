/** The exit code of an indexer that lost a connection to its database (EX_TEMPFAIL). A restart continues from the database. */
export const DATABASE_LOST = 75;

/** The exit code after a reorg beyond finality (EX_PROTOCOL). A restart does not help: `npm run reindex` repairs the index. */
export const REORG_BEYOND_FINALITY = 76;

/** The exit code for a configuration error (EX_CONFIG). A restart does not help. */
export const CONFIGURATION_ERROR = 78;
