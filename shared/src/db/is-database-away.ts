/** Codes of the socket and of the driver: there is no connection, or it was lost, or it did not answer in time. */
const connectionCodes =
  /^(CONNECTION_[A-Z]+|CONNECT_TIMEOUT|EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOENT|ENOTFOUND|EPIPE|ETIMEDOUT)$/;

/**
 * SQLSTATEs of a server that cannot serve now: connection exceptions, invalid authorization, out of resources, shutting down or starting,
 * closed to connections, read-only after a failover, no such database yet, and conflicts with other transactions that outlived their retries.
 */
const sqlStates = /^(08...|28...|3D000|40001|40P01|53...|55000|55P03|57014|57P0.|25006|58...)$/;

/** Whether the statement failed because the database is not there at the moment, so that the same may well succeed later. */
export const isDatabaseAway = (error: unknown): boolean => {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return false;
  return connectionCodes.test(error.code) || sqlStates.test(error.code);
};
