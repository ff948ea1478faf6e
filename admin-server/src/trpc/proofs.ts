import type { TokenScope } from "shared/core/credentials";
import table from "./proofs.json" with { type: "json" };

/**
 * Which mutations take a proof of the person from the last 10 minutes, and why, and the scope by which an access token may call each; null: only a token
 * without scopes, if any. What makes a credential, sends data elsewhere, lowers a protection or deletes in bulk takes a proof.
 */
export type Proof =
  /** Always, and access tokens cannot call it. */
  | "person"
  /** Always, of people; an access token needs its scope. */
  | "always"
  /** By what the input changes: the procedure asks for it. */
  | "by effect"
  /** The call proves the person itself, by a password, a code or a link. */
  | "itself"
  | "never";

type Table = Readonly<Record<string, readonly [takes: Proof, scope: TokenScope | null, why: string]>>;

export const proofs = table as unknown as Table;

/** The scope that a token needs, if it has any. */
export const scopeOf = (path: string): TokenScope | null => proofs[path]?.[1] ?? null;

/** What a mutation takes; one that stands nowhere takes the proof. */
export const proofOf = (path: string): Proof => proofs[path]?.[0] ?? "always";
