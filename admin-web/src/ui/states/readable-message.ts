/** Browsers word a lost connection each in its own way, and none helpfully. */
export function readableMessage(message: string): string {
  const lost = /failed to fetch|networkerror|load failed|not valid json|unexpected (?:end|token)/iu.test(message);
  return lost ? "The server cannot be reached. Check that it runs and that you are online." : message;
}
