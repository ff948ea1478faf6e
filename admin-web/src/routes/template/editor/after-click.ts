/** Runs it now, or once the click that is under way has met its mark: a message that comes meanwhile would move that away from under it. */
export function afterClick(run: () => void): void {
  if (document.querySelector(":active") === null) run();
  else window.addEventListener("pointerup", () => setTimeout(run), { once: true });
}
