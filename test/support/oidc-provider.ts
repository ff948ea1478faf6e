import type { RequestListener } from "node:http";

/** An OpenID provider with pages of its own; the entered login is the person's verified address. */
export async function openProvider(
  issuer: string,
  redirectUri: string,
  client: { id: string; secret: string },
  method: "client_secret_basic" | "client_secret_post",
): Promise<{ listener: RequestListener }> {
  // @ts-expect-error It has no types of its own.
  const { Provider } = (await import("oidc-provider")) as { Provider: ProviderClass };
  const provider = new Provider(issuer, {
    clients: [{ client_id: client.id, client_secret: client.secret, redirect_uris: [redirectUri], token_endpoint_auth_method: method }],
    claims: { email: ["email", "email_verified"], openid: ["sub"], profile: ["name"] },
    cookies: { keys: ["a key for tests"] },
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId, email: accountId, email_verified: true }),
    }),
  });
  return { listener: provider.callback() };
}

type ProviderClass = new (issuer: string, options: object) => { callback(): RequestListener };
