import { useRef } from "react";

/** Menus and dialogs give the focus back by themselves, a moment after they go. */
const patienceMs = 50;

const controls = ":is(a[href], button, input, select, textarea, summary):not(:disabled)";

/**
 * Where a control goes that has the focus, what stands beside it takes the focus, or the part of the page around it, so that somebody at the keyboard goes on from
 * there. One that was disabled for a while has it again afterwards.
 */
export function keepFocus(page: HTMLElement): () => void {
  /** The control, and what it is in. */
  let path: Element[] = [];
  const hold = ({ target }: Event) => {
    path = [];
    if (!page.contains(target as Element)) return;
    for (let each = target as Element; each !== page; each = each.parentElement ?? page) path.push(each);
  };
  const leave = ({ target }: Event) => {
    if (path[0]?.contains(target as Node) === false) path = [];
  };
  const pass = (records: MutationRecord[]) => {
    const held = path[0] as HTMLElement | undefined;
    if (held === undefined || held.matches(":disabled")) return;
    const next = held.isConnected ? held : heirOf(page, path, records);
    setTimeout(() => document.activeElement === document.body && path[0] === held && take(next), patienceMs);
  };
  const observer = new MutationObserver(pass);
  observer.observe(page, { childList: true, subtree: true, attributeFilter: ["disabled"] });
  document.addEventListener("focusin", hold);
  document.addEventListener("pointerdown", leave);
  return () => {
    observer.disconnect();
    document.removeEventListener("focusin", hold);
    document.removeEventListener("pointerdown", leave);
  };
}

/** The first control after what is gone, else the last one before, else the part of the page. */
function heirOf(page: HTMLElement, path: readonly Element[], records: readonly MutationRecord[]): HTMLElement {
  const index = path.findIndex(({ isConnected }) => isConnected);
  const around = path[index] ?? page;
  const gone = path.at(index === -1 ? -1 : index - 1);
  const place = records.find(({ target, removedNodes }) => target === around && [...removedNodes].some((node) => node === gone));
  const within = (node: Node | null | undefined) =>
    node instanceof Element ? [node, ...node.querySelectorAll(controls)].filter((each) => each.matches(controls)) : [];
  const next = within(place?.nextSibling)[0] ?? within(place?.previousSibling).at(-1);
  return (next ?? around.closest("li, article, section, form, main") ?? page) as HTMLElement;
}

function take(element: HTMLElement): void {
  if (!element.matches(controls) && !element.hasAttribute("tabindex")) {
    element.tabIndex = -1;
    element.addEventListener("blur", () => element.removeAttribute("tabindex"), { once: true });
  }
  element.focus({ preventScroll: true });
}

/** What had the focus as a key opened a dialog has it again at its end; where nothing had it, or that is gone, the page does. */
export function useFocusBack() {
  const before = useRef<Element | null>(null);
  return {
    note: () => void (before.current = document.activeElement),
    give: () => {
      const heir = before.current?.matches("body *") === true ? before.current : document.querySelector("main");
      (heir as HTMLElement | null)?.focus({ preventScroll: true });
    },
  };
}
