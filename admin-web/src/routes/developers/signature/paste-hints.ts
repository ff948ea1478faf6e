/** What is easily overlooked in a pasted body. */
export function bodyHint(body: string): string {
  if (body.endsWith("\n")) return "It ends with a newline, which is signed too.";
  return "As it is sent, to the byte: blanks and line breaks count";
}

export function secretHint(secret: string): string {
  if (secret !== secret.trim()) return "There is white space around it, which counts as part of the key.";
  if (secret.startsWith("sk_")) return "This looks like the API key: the secret begins with whs_.";
  return "All of it, with the whs_ at its front";
}
