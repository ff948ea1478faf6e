import { useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { t } from "../../language.ts";
import { QuietButton } from "./buttons.tsx";

/** Switches between light and dark; the default is the device's scheme. */
export function ColorSchemeButton() {
  // Without `keepTransitions` Mantine writes a <style> element, which the content security policy refuses.
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const next = useComputedColorScheme("light") === "light" ? "dark" : "light";
  return (
    <QuietButton aria-label={next === "dark" ? t("Switch to dark mode") : t("Switch to light mode")} onClick={() => setColorScheme(next)}>
      <svg viewBox="0 0 20 20" width="18" aria-hidden>
        <circle cx="10" cy="10" r="7" fill="none" stroke="currentColor" strokeWidth="2" />
        <path d="M10 3a7 7 0 0 1 0 14z" fill="currentColor" />
      </svg>
    </QuietButton>
  );
}
