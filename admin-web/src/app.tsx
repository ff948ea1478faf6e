import { createTheme, MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { router } from "./router.ts";
import { createClients, trpc } from "./trpc.ts";
import "@mantine/core/styles.css";
import "@mantine/core/styles/default-css-variables.css";
import "./theme.css";

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no element with the id root");

/** The page stays free to scroll, since the lock would write a <style> element; and a dialog's <header> is not the page's. */
const windowProps = { lockScroll: false, attributes: { header: { role: "presentation" } } };
const theme = createTheme({
  primaryColor: "teal",
  fontFamily: "system-ui, sans-serif",
  defaultRadius: "md",
  cursorType: "pointer",
  components: {
    Modal: { defaultProps: windowProps },
    Drawer: { defaultProps: windowProps },
    // The placeholder is a child that no menu may have, and outside the landmarks is where a screen reader looks last.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false, withinPortal: false } },
  },
});
const { queryClient, trpcClient } = createClients();

createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);

/**
 * The variables of the theme stand in theme.css, and nothing here writes a <style> element: the content security policy allows styles from
 * files only. Responsive style props, <Grid>, <SimpleGrid>, <AppShell> and a colour scheme's change without `keepTransitions` would break that.
 */
function App() {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      <trpc.Provider client={trpcClient} queryClient={queryClient}>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </trpc.Provider>
    </MantineProvider>
  );
}
