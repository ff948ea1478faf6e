import { createTheme, MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { createClients } from "./clients.ts";
import { router } from "./router.ts";
import { trpc } from "./trpc.ts";

const theme = createTheme({ primaryColor: "teal", fontFamily: "system-ui, sans-serif", defaultRadius: "md", cursorType: "pointer" });
const { queryClient, trpcClient } = createClients();

/**
 * The variables of the theme stand in theme.css, and nothing here writes a <style> element: the content security policy allows styles from
 * files only. Responsive style props and <Grid> would break that.
 */
export function App() {
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
