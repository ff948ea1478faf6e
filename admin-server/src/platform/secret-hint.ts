/** By what a secret is known once it is stored: its last four characters; nothing of one so short that they were more than half of it. */
export const secretHint = (secret: string): string => (secret.length < 8 ? "" : secret.slice(-4));
