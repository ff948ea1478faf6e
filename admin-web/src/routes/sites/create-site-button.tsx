import { Button } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { paths } from "../../paths.ts";
import { Dialog } from "../../ui/dialog/dialog.tsx";
import { CreateSiteForm, type MadeSite } from "./create/create-site-form.tsx";
import { TwoSecrets } from "./create/two-secrets.tsx";
import { readSitesSearch } from "./sites-search.ts";

/** Ends on the page of the site that was made. */
export function CreateSiteButton() {
  const navigate = useNavigate();
  const { create } = useSearch({ from: `/signed-in${paths.sites}` });
  const [made, setMade] = useState<MadeSite | null>(null);
  const show = (isOpen: boolean) =>
    void navigate({ to: paths.sites, search: (now) => readSitesSearch({ ...now, create: isOpen }), replace: true });
  const close = () => show(false);
  return (
    <>
      <Button onClick={() => show(true)}>Make a site</Button>
      <Dialog
        title={made === null ? "Make a site" : `The key and the secret of ${made.site.name}`}
        // Left before the answer came, it opens again: the secrets are shown nowhere else.
        opened={create === true || made !== null}
        onClose={close}
        insists={made !== null}
      >
        {made === null ? (
          <CreateSiteForm onMade={setMade} onCancel={close} />
        ) : (
          <TwoSecrets made={made} onSaved={() => void navigate({ to: paths.site, params: { siteId: made.site.id } })} />
        )}
      </Dialog>
    </>
  );
}
