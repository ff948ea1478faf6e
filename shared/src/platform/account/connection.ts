import type { PlatformClient } from "../client.ts";
import type { PlatformCredentials } from "../credentials.ts";

/** What each check of a connection works on. */
export interface Connection {
  client: PlatformClient;
  credentials: PlatformCredentials;
  /** An instant of `performance.now()`, for all checks together. */
  cutAt: number;
}
