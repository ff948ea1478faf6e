interface SenderSecrets {
  /** Undefined where it could not be looked up. */
  gatewayUrl: string | undefined;
  apiKey: string;
  webhookSecret: string;
}

/** What a site's sender needs to know, under the names that the documentation's examples read from the environment. */
export const envFile = ({ gatewayUrl, apiKey, webhookSecret }: SenderSecrets): string =>
  `${gatewayUrl === undefined ? "" : `BASE_URL=${gatewayUrl}\n`}SITE_KEY=${apiKey}\nWEBHOOK_SECRET=${webhookSecret}\n`;

/** Named after the site, so that two of them in one folder are told apart. */
export const envFileName = (siteName: string): string =>
  `${
    siteName
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
      .replaceAll(/^-|-$/gu, "") || "site"
  }.env`;
