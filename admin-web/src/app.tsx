import { RouterProvider } from "@tanstack/react-router";
import { lazy, Suspense, useSyncExternalStore } from "react";
import { createRoot } from "react-dom/client";
import { Providers } from "./providers.tsx";
import { router } from "./router.ts";
import { proof } from "./trpc.ts";
import "@mantine/core/styles.css";
import "@mantine/core/styles/default-css-variables.css";
import "./theme.css";

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no element with the id root");

const ProofDialog = lazy(async () => ({ default: (await import("./ui/proof-dialog.tsx")).ProofDialog }));

createRoot(root).render(
  <Providers>
    <RouterProvider router={router} />
    <ProofQuestion />
  </Providers>,
);

function ProofQuestion() {
  const isWanted = useSyncExternalStore(proof.subscribe, proof.isWanted);
  return (
    isWanted && (
      <Suspense fallback={null}>
        <ProofDialog />
      </Suspense>
    )
  );
}
