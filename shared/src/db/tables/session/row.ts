/** `id` is the SHA-256 of the session token, hex. */
export interface SessionRow {
  id: string;
  user_id: string;
  expires_at: Date;
  created_at: Date;
}
