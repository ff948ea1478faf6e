/** What the dashboard may know of an account's platform credentials. */
export interface PlatformAccountRow {
  account_id: string;
  sandbox: boolean;
  waba_id: string;
  phone_number_id: string;
  api_version: string;
  app_id: string | null;
  access_token_hint: string;
  has_app_secret: boolean;
  stopped_code: string | null;
  stopped_reason: string | null;
  stopped_at: Date | null;
}

/** What a call to the platform takes; the secrets are encrypted. */
export interface PlatformCredentialsRow {
  sandbox: boolean;
  waba_id: string;
  phone_number_id: string;
  api_version: string;
  app_id: string | null;
  access_token: string;
  access_token_hint: string;
  app_secret: string | null;
}
