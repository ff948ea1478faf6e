export interface AccountRow {
  id: string;
  name: string;
  timezone: string;
  verify_token: string;
}
