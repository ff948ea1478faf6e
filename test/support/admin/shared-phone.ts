import type { SandboxClient } from "admin-server/sandbox/client";

/** A sandbox that holds one message of every number, called after it. */
export const sharedPhone: SandboxClient = {
  openAccount: async () => Promise.reject(new Error("not part of this test")),
  messages: async ({ phoneNumberId }) =>
    Promise.resolve([
      {
        id: `wamid.${phoneNumberId}`,
        to: "+491700000003",
        template: "t",
        language: "en",
        components: [],
        text: `from ${phoneNumberId}`,
        at: "2026-01-01T00:00:00.000Z",
        status: "sent",
        header: null,
        body: "",
        footer: null,
        buttons: [],
      },
    ]),
  markRead: async () => Promise.resolve(),
  forget: async () => Promise.resolve(0),
};
