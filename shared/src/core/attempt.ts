/** What `act` returns; `otherwise` if it throws. */
export function attempt<T, Otherwise>(act: () => T, otherwise: Otherwise): T | Otherwise {
  try {
    return act();
  } catch {
    return otherwise;
  }
}
