export { addChannelInput, updateAlertsInput, updateChannelInput } from "shared/core/input/alerts";
export { saveAssistantInput } from "shared/core/input/assistant";
export { createBindingInput } from "shared/core/input/bindings";
export { updateSettingsInput } from "shared/core/input/settings";
export { addRecipientInput, createSiteInput, updateRecipientInput, updateSiteInput } from "shared/core/input/sites";
export {
  acceptInviteInput,
  changeEmailInput,
  changePasswordInput,
  confirmInput,
  confirmTotpInput,
  createTokenInput,
  forgotPasswordInput,
  inviteInput,
  removeTotpInput,
  resetPasswordInput,
  signUpInput,
} from "shared/core/input/team";
export { nameInput, phoneInput } from "shared/core/input/values";
export { createWebhookInput, updateWebhookInput } from "shared/core/input/webhooks";
