import { createHash } from "node:crypto";

/** Tokens have enough entropy that a plain SHA-256 keeps them from whoever reads the database. */
export const digest = (token: string): Buffer => createHash("sha256").update(token).digest();
