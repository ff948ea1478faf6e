import { ConfigurationError } from "../server/configuration-error.ts";
import { DataFolderInUse, type EmbeddedPostgres, embeddedUrl, startPostgres } from "./start-postgres.ts";

/**
 * The embedded database of a data folder for a command that works on it for a moment: the one that runs, or one that is
 * started for as long. Throws `ConfigurationError` when the folder has none.
 */
export const openPostgres = async (dataDir: string): Promise<EmbeddedPostgres> => {
  const url = await embeddedUrl(dataDir);
  if (url === undefined)
    throw new ConfigurationError([`DATA_DIR ${dataDir} holds no database: set DATA_DIR, or DATABASE_URL, to the one in use`]);
  try {
    return await startPostgres({ dataDir, durable: true });
  } catch (error) {
    if (!(error instanceof DataFolderInUse)) throw error;
    return { url, [Symbol.asyncDispose]: async () => undefined };
  }
};
