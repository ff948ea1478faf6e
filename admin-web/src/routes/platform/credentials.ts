import type { PlatformInput } from "shared/core/input/sites";
import type { Settings } from "../../session/with-settings.tsx";

/** What the form's fields hold. Secrets are empty unless one is entered. */
export interface CredentialsValues extends Record<string, unknown> {
  wabaId: string;
  phoneNumberId: string;
  accessToken: string;
  appId: string;
  appSecret: string;
  apiVersion: string;
}

export const storedValues = ({ wabaId, phoneNumberId, appId, apiVersion }: Settings["platform"]): CredentialsValues => ({
  wabaId: wabaId ?? "",
  phoneNumberId: phoneNumberId ?? "",
  accessToken: "",
  appId: appId ?? "",
  appSecret: "",
  apiVersion,
});

/** A secret that is left empty is left out, which keeps the stored one; an app id that is emptied is taken away. */
export const credentialsInput = ({ accessToken, appSecret, appId, ...rest }: CredentialsValues): PlatformInput => ({
  ...rest,
  appId: appId.trim() || null,
  ...(accessToken.trim() !== "" && { accessToken }),
  ...(appSecret.trim() !== "" && { appSecret }),
});
