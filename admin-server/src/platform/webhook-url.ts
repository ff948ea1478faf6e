/** Where the platform reports what became of an account's messages and templates. */
export const webhookUrl = (publicGatewayUrl: string, accountId: string): string =>
  `${publicGatewayUrl}/api/public/platform/webhook/${accountId}`;
