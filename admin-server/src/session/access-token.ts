import { randomText } from "shared/secrets/signature";

const prefix = "tdg_";

/** An access token begins like no session token does. */
export const makeAccessToken = (): string => prefix + randomText(43);

export const isAccessToken = (token: string): boolean => token.startsWith(prefix);
