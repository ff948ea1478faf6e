/** By what a secret is known once it is stored: its last characters, four at most and never more than a quarter of it, so none of a very short one. */
export const secretHint = (secret: string): string => secret.slice(secret.length - Math.min(4, Math.floor(secret.length / 4)));
