import { useWindowEvent } from "@mantine/hooks";
import {
  type ComponentType,
  isValidElement,
  lazy,
  type ReactNode,
  Suspense,
  type SuspenseProps,
  useState,
  useSyncExternalStore,
} from "react";

let arrivals = 0;
const watchers = new Set<() => void>();
const watchArrivals = (tell: () => void) => {
  watchers.add(tell);
  return () => void watchers.delete(tell);
};

/** A <Suspense> that shows its parts as soon as they are there. React alone does so up to a third of a second later, and the first letters typed would be lost. */
export function Awaiting(props: SuspenseProps) {
  useSyncExternalStore(watchArrivals, () => arrivals);
  return <Suspense {...props} />;
}

/** A part for an <Awaiting>: it loads when it is first drawn, or ahead, and is then drawn at once. */
export function part<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let found: ComponentType<Props> | undefined;
  const prepare = async () => {
    if (found === undefined) {
      found = await load();
      arrivals += 1;
      for (const tell of watchers) tell();
    }
    return { default: found };
  };
  const Late = lazy(prepare) as unknown as ComponentType<Props>;
  function Part(props: Props) {
    const [Now] = useState(() => found ?? Late);
    return <Now {...props} />;
  }
  // What could not be loaded ahead is asked for again when it is drawn.
  return Object.assign(Part, { prepare: () => void prepare().catch(() => {}) });
}

/** A part that brings its own <Awaiting>; nothing stands in its place until it is there. */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  const Part = part(load);
  const Later = (props: Props) => (
    <Awaiting>
      <Part {...props} />
    </Awaiting>
  );
  return Object.assign(Later, { prepare: Part.prepare });
}

/** Loads ahead what an element is of. */
export function prepare(element: ReactNode): void {
  if (isValidElement(element)) (element.type as Partial<ReturnType<typeof part>>).prepare?.();
}

const once = { once: true };

/** Loads what a person may open next, at a sign that one is at the page. Until then only what the page shows is loaded. */
export function useAhead(load: () => void) {
  useWindowEvent("pointermove", load, once);
  useWindowEvent("pointerdown", load, once);
  useWindowEvent("keydown", load, once);
}
