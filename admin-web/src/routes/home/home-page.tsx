import { trpc } from "../../trpc.ts";
import { Page } from "../../ui/page/page.tsx";
import { FailureNotice } from "../../ui/states/failure-notice.tsx";
import { Loading } from "../../ui/states/loading.tsx";
import { PlatformNotice } from "./platform-notice.tsx";
import { RecentMessages } from "./recent-messages.tsx";
import { SandboxPhone } from "./sandbox-phone.tsx";
import classes from "./home-page.module.css";

export function HomePage() {
  const settings = trpc.settings.get.useQuery();
  if (settings.data === undefined) {
    if (settings.error === null) return <Loading what="the settings" />;
    return <FailureNotice title="The settings could not be loaded" error={settings.error} onRetry={() => void settings.refetch()} />;
  }
  const { platform } = settings.data;
  return (
    <Page title="Messages">
      <PlatformNotice configured={platform.configured} problem={platform.problem} />
      <div className={classes["columns"]}>
        <RecentMessages />
        {platform.configured && platform.sandbox && <SandboxPhone />}
      </div>
    </Page>
  );
}
