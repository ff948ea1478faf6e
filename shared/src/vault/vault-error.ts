/** A stored secret cannot be read. The message says what to do and holds nothing of the secret. */
export class VaultError extends Error {
  override name = "VaultError";
}
