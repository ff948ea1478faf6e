import { type ComponentType, lazy, Suspense, useState } from "react";

/** A part that loads when it is first drawn; nothing stands in its place until then. */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  const Part = lazy(async () => ({ default: await load() })) as unknown as ComponentType<Props>;
  return (props: Props) => (
    <Suspense>
      <Part {...props} />
    </Suspense>
  );
}

/** A part with a function that loads it before it is drawn, which is then at once: React shows what it has waited for a third of a second late. */
export function ahead<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let found: ComponentType<Props> | undefined;
  const prepare = async () => (found ??= await load());
  const Late = lazy(async () => ({ default: await prepare() })) as unknown as ComponentType<Props>;
  function Part(props: Props) {
    const [Now] = useState(() => found ?? Late);
    return <Now {...props} />;
  }
  // What could not be loaded ahead is asked for again when it is drawn.
  return { Part, prepare: () => void prepare().catch(() => {}) };
}
