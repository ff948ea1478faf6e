import { ConfigurationError } from "./configuration-error.ts";

/** Throws `ConfigurationError` with one line when `secret`, a stored one, does not open with this process's key. */
export const requireMasterKey = (vault: { decrypt(record: string): string }, secret: string | null): void => {
  if (secret === null) return;
  try {
    vault.decrypt(secret);
  } catch (error) {
    throw new ConfigurationError(["MASTER_KEY is not the one that this database's secrets were stored with: start with that one"], {
      cause: error,
    });
  }
};
