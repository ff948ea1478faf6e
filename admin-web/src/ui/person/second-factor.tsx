import { Anchor, Divider, Stack, TextInput, type TextInputProps } from "@mantine/core";
import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from "@simplewebauthn/browser";
import { useMutation } from "@tanstack/react-query";
import { t } from "../../language.ts";
import type { Outputs } from "../../trpc.ts";
import { SecondaryButton } from "../base/buttons.tsx";
import { running } from "../base/fields.ts";
import { FailureNotice } from "../base/page.tsx";
type Offered = Outputs["auth"]["startPasskey"]["options"];

/** The field for a code that people copy from a device; it takes the focus at once. */
export const CodeInput = (props: TextInputProps) => (
  <TextInput ref={focus} autoComplete="one-time-code" autoCapitalize="none" spellCheck={false} required {...props} />
);

const focus = (input: HTMLInputElement | null): void => input?.focus();

// The library is loaded once a passkey is asked for.
const webauthn = async () => import("@simplewebauthn/browser");

/** Whether the browser has passkeys, which it has only over https and on the own machine. */
export const hasPasskeys = (): boolean => "PublicKeyCredential" in window;

/** The browser's signature in the form that the server takes. @throws Error that says what to do */
async function answerWithPasskey({ options, challenge }: Outputs["auth"]["startPasskeySignIn"]) {
  requireHost(options.rpId);
  const response = await (
    await webauthn()
  ).startAuthentication({ optionsJSON: options as unknown as PublicKeyCredentialRequestOptionsJSON });
  return { challenge, response: { ...response } };
}

/** A new passkey in the form that the server takes. @throws Error that says what to do */
export async function makePasskey(options: Offered) {
  requireHost(options.rp.id);
  return { ...(await (await webauthn()).startRegistration({ optionsJSON: options as unknown as PublicKeyCredentialCreationOptionsJSON })) };
}

/** Requires the host of the passkeys: a passkey belongs to one host, which is never an IP address. */
function requireHost(host: string | undefined): void {
  const { hostname } = window.location;
  if (host === undefined || isOnHost(host, hostname)) return;
  if (host === "localhost" && !["127.0.0.1", "[::1]"].includes(hostname))
    throw new Error(t("There are no passkeys for an IP address: have PUBLIC_ADMIN_URL name a host, with https."));
  throw new WrongHost(host);
}

/** Says that the passkeys belong to another host, at which the same page is. */
class WrongHost extends Error {
  override readonly name = "WrongHost";
  readonly href: string;
  constructor(host: string) {
    super(t("The passkeys of this dashboard belong to {host}. Open it there and sign in; then try again.", { host }));
    const url = new URL(window.location.href);
    url.hostname = host;
    this.href = url.href;
  }
}

const isOnHost = (host: string, page: string): boolean => page === host || page.endsWith(`.${host}`);

/** Runs a call that asks the browser for a passkey, and keeps the reason if it fails. */
export const usePasskeyCall = (work: () => Promise<void>) =>
  useMutation<void, Error>({
    mutationFn: () =>
      work().catch((cause: unknown) => {
        throw cause instanceof WrongHost ? cause : new Error(wordsFor(cause));
      }),
  });

interface PasskeyButtonProps {
  failure: string;
  /** Asks the server what the browser is to sign. */
  start: () => Promise<Outputs["auth"]["startPasskeySignIn"]>;
  /** Sends it what the browser has signed. */
  finish: (answer: Awaited<ReturnType<typeof answerWithPasskey>>) => Promise<unknown>;
}

/** Another way than the one above: a passkey, in browsers that have them. */
export function PasskeyButton({ failure, start, finish }: PasskeyButtonProps) {
  const call = usePasskeyCall(async () => void (await finish(await answerWithPasskey(await start()))));
  if (!hasPasskeys()) return null;
  return (
    <>
      <Divider label={t("or")} />
      <PasskeyFailure title={failure} error={call.error} />
      <SecondaryButton {...running(call)}>{t("Use a passkey")}</SecondaryButton>
    </>
  );
}

/** The reason why a call failed, with the way to the right host. */
export function PasskeyFailure({ title, error }: { title: string; error: Error | null }) {
  if (error === null) return null;
  return (
    <Stack gap="xs">
      <FailureNotice title={title} error={error} />
      {error instanceof WrongHost && (
        <Anchor href={error.href}>{t("Open the dashboard at {host}", { host: new URL(error.href).host })}</Anchor>
      )}
    </Stack>
  );
}

/** Describes a failure of a passkey, which browsers name only by the class of the error. */
function wordsFor(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (cause.name === "NotAllowedError" || cause.name === "AbortError")
    return t("The browser stopped: you cancelled, it took too long, or there is no passkey here. Try again, or use another way.");
  return cause.name === "InvalidStateError" ? t("This device already has one of your passkeys.") : cause.message;
}
