/** `id` is the SHA-256 of the session token, hex; `handle` is how the user names it. Address and user agent are those of the last use. */
export interface SessionRow {
  id: string;
  handle: string;
  user_id: string;
  address: string | null;
  user_agent: string | null;
  last_used_at: Date;
  expires_at: Date;
  created_at: Date;
}
