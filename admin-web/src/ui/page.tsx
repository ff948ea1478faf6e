import { Anchor, Box, Button, useComputedColorScheme, useMantineColorScheme, Group, Stack, Text, Title, Card, Center } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, type ReactNode, useId } from "react";
import { direction, t } from "../language.ts";
import classes from "./ui.module.css";

interface PageProps {
  title: string;
  /** One line of state under the title. */
  lead?: ReactNode;
  /** The parent page. */
  back?: { to: string; label: string };
  /** Buttons beside the title. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A page inside the frame of the dashboard. */
export function Page({ title, lead, back, actions, children }: PageProps) {
  useDocumentTitle(`${title} · Tidings`);
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start" gap="sm">
        <Box miw={0}>
          {back !== undefined && (
            <Anchor component={Link} to={back.to} size="sm">
              {direction === "rtl" ? "→" : "←"} {back.label}
            </Anchor>
          )}
          {/* A name may be one long word. */}
          <Title order={1} size="h2" lh="2.25rem" style={{ overflowWrap: "anywhere" }}>
            {title}
          </Title>
          <Lead>{lead}</Lead>
        </Box>
        {actions}
      </Group>
      {children}
    </Stack>
  );
}

function Lead({ children }: { children: ReactNode }) {
  if (children === undefined) return null;
  return (
    <Text size="sm" c="dimmed" maw="40rem" component="div">
      {children}
    </Text>
  );
}

const LanguageSelect = lazy(async () => ({ default: (await import("./language-select.tsx")).LanguageSelect }));

/** A page of one centred card, such as the sign-in. */
export function CardPage({ title, lead, children }: { title: string; lead?: string; children: ReactNode }) {
  useDocumentTitle(`${title} · Tidings`);
  return (
    <Center component="main" mih="100vh" p="md">
      <Card withBorder padding="xl" w="100%" maw={440}>
        <Stack gap="md">
          <Group justify="space-between">
            <Logo />
            <ColorSchemeButton />
          </Group>
          <div>
            <Title order={1} size="h2">
              {title}
            </Title>
            {lead !== undefined && (
              <Text c="dimmed" size="sm">
                {lead}
              </Text>
            )}
          </div>
          {children}
          <Suspense>
            <LanguageSelect />
          </Suspense>
        </Stack>
      </Card>
    </Center>
  );
}

/** The mark and the name. */
export const Logo = () => (
  <span className={classes["logo"]}>
    <img src="/favicon.svg" width={24} height={24} alt="" />
    {t("Tidings")}
  </span>
);

/** A part of a page with its own heading. */
export function Section({ title, lead, actions, children }: { title: string; lead?: string; actions?: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <Stack component="section" gap="sm" miw={0} aria-labelledby={id}>
      <Group justify="space-between" align="flex-end" gap="sm">
        <div>
          <Title order={2} size="h4" id={id}>
            {title}
          </Title>
          <Lead>{lead}</Lead>
        </div>
        {actions}
      </Group>
      {children}
    </Stack>
  );
}

/** Switches between light and dark; the default is the device's scheme. */
function ColorSchemeButton() {
  // Without `keepTransitions` Mantine writes a <style> element, which the content security policy refuses.
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const next = useComputedColorScheme("light") === "light" ? "dark" : "light";
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      c="var(--mantine-color-text)"
      aria-label={next === "dark" ? t("Switch to dark mode") : t("Switch to light mode")}
      onClick={() => setColorScheme(next)}
    >
      <svg viewBox="0 0 20 20" width="18" aria-hidden>
        <circle cx="10" cy="10" r="7" fill="none" stroke="currentColor" strokeWidth="2" />
        <path d="M10 3a7 7 0 0 1 0 14z" fill="currentColor" />
      </svg>
    </Button>
  );
}

/** Small words beside what they are about. */
export const Dimmed = Text.withProps({ size: "sm", c: "dimmed" });

/** What has just come about, which screen readers say. */
export const News = Text.withProps({ size: "sm", role: "status" });
