import { useEffect, useState, type RefObject } from "react";

/** The bar on top of every page covers as much of what is under it. */
const barHeight = 56;

/** Whether what `place` marks has been scrolled away above. */
export function useScrolledPast(place: RefObject<HTMLElement | null>): boolean {
  const [isPast, setPast] = useState(false);
  useEffect(() => {
    const look = () => setPast((place.current?.getBoundingClientRect().top ?? barHeight) < barHeight - 1);
    window.addEventListener("scroll", look, { passive: true });
    return () => window.removeEventListener("scroll", look);
  }, [place]);
  return isPast;
}
