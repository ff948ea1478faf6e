/** What a call to the platform on behalf of one account needs. */
export interface PlatformCredentials {
  /** Such as `v25.0`. */
  apiVersion: string;
  /** The business account: templates live there. */
  wabaId: string;
  /** The sender: messages go out from there. */
  phoneNumberId: string;
  accessToken: string;
  appId?: string | null | undefined;
  appSecret?: string | null | undefined;
}
