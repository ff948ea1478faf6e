export interface AccountRow {
  id: string;
  name: string;
  timezone: string;
  verify_token: string;
  /** How many days payloads and the log are kept. */
  payload_days: number;
  log_days: number;
}
