import { Button, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";

/** Switches between light and dark. Until it is used the scheme is the device's. */
export function ColorSchemeButton() {
  const { setColorScheme } = useMantineColorScheme();
  const next = useComputedColorScheme("light") === "light" ? "dark" : "light";
  return (
    <Button variant="subtle" color="gray" size="compact-sm" c="var(--mantine-color-text)" onClick={() => setColorScheme(next)}>
      {next === "dark" ? "Dark" : "Light"}
    </Button>
  );
}
