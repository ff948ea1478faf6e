/** As many controls as a menu, its dialog and the dialog's fields are. */
const mostKept = 8;
/** Menus and dialogs give the focus back by themselves, a moment after they go. */
const patienceMs = 50;

const controls = ":is(a[href], button, input, select, textarea, summary):not(:disabled)";

const headings = "h1, h2, h3";

/**
 * Where a control goes that has the focus, what opened in its place takes the focus, a dialog's opener at the dialog's end, else the page's heading, so that somebody
 * at the keyboard goes on from there, and Enter throws nothing away. One that was disabled for a while has it again afterwards.
 */
export function keepFocus(page: HTMLElement): () => void {
  /** The control, and what it is in. */
  let path: Element[] = [];
  /** The page's controls that had it before. */
  let trail: Element[] = [];
  const hold = ({ target }: Event) => {
    path = [];
    for (let each = target as Element | null; each !== null && each !== document.body; each = each.parentElement) path.push(each);
    if (page.contains(target as Element)) trail = [...trail.filter((each) => each !== target), target as Element].slice(-mostKept);
  };
  const leave = ({ target }: Event) => {
    if (path[0]?.contains(target as Node) === false) path = [];
  };
  const pass = (records: MutationRecord[]) => {
    const held = path[0] as HTMLElement | undefined;
    if (held === undefined || (held.isConnected && held.matches(":disabled"))) return;
    const next = held.isConnected ? held : heirOf(page, path, records, trail);
    setTimeout(() => document.activeElement === document.body && path[0] === held && next.isConnected && take(next), patienceMs);
  };
  const observer = new MutationObserver(pass);
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ["disabled"] });
  document.addEventListener("focusin", hold);
  document.addEventListener("pointerdown", leave);
  return () => {
    observer.disconnect();
    document.removeEventListener("focusin", hold);
    document.removeEventListener("pointerdown", leave);
  };
}

const headOf = (page: HTMLElement): HTMLElement => page.querySelector("h1") ?? page;

/** The dialog that is open; else what had the focus before a dialog that has ended; else what came in the same place, the next item of a list, or the part around it. */
function heirOf(page: HTMLElement, path: readonly Element[], records: readonly MutationRecord[], trail: readonly Element[]): HTMLElement {
  const index = path.findIndex(({ isConnected }) => isConnected);
  const around = path[index];
  const opened = [...document.querySelectorAll('[role="dialog"][aria-modal="true"]')].at(-1);
  // A dialog stands outside of the page.
  if (around?.closest("header, main, [role=dialog]") == null)
    return (opened ?? trail.findLast((each) => each.matches(controls) && each.checkVisibility()) ?? headOf(page)) as HTMLElement;
  const gone = path.at(index - 1);
  if (gone?.matches("li, article, tr") === true) {
    const { nextSibling, previousSibling } = records.find(({ removedNodes }) => [...removedNodes].some((node) => node === gone)) ?? {};
    const item = [nextSibling, previousSibling].find((each) => each instanceof HTMLElement && each.nodeName === gone.nodeName);
    if (item?.isConnected === true) return item as HTMLElement;
  }
  const come = records.flatMap(({ target, addedNodes }) => (around.contains(target) ? [...addedNodes] : []));
  const place = placeOf(come.filter((each) => each instanceof HTMLElement && each.isConnected && each.checkVisibility()) as HTMLElement[]);
  return place ?? around.closest<HTMLElement>("li, article, section, form, [role=dialog]") ?? headOf(page);
}

/** Of what has come: the field to begin with, else a heading, a link or a field, else all of it. */
const placeOf = (come: readonly HTMLElement[]): HTMLElement | undefined =>
  ["[data-autofocus]", headings, "a[href], input, select, textarea"]
    .flatMap((wanted) => come.flatMap((each) => (each.matches(wanted) ? [each] : [...each.querySelectorAll<HTMLElement>(wanted)])))
    .at(0) ?? come[0];

function take(element: HTMLElement): void {
  if (!element.matches(controls) && !element.hasAttribute("tabindex")) {
    element.tabIndex = -1;
    element.addEventListener("blur", () => element.removeAttribute("tabindex"), { once: true });
  }
  element.focus({ preventScroll: true });
}
