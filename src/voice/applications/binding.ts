/** What the voice API does with a number. Pure. */
import type { Selectable, Written } from '../../platform/database/tables.js'
import type { NumberBindingsTable } from './tables.js'
import {
  changedSettings,
  checkFallbacks,
  NO_WEBHOOKS,
  type SettingsChange,
  toWebhookColumns,
  toWebhookSettings,
  type WebhookSettings,
} from './webhook-settings.js'

export interface Binding extends WebhookSettings {
  /** The application that answers calls in place of the voice URLs. */
  readonly voiceApplicationSid: string | undefined
  readonly voiceReceiveMode: 'voice' | 'fax'
  readonly smsApplicationSid: string | undefined
}

export type BindingChange = SettingsChange<Binding>

export const NO_BINDING: Binding = {
  ...NO_WEBHOOKS,
  voiceApplicationSid: undefined,
  voiceReceiveMode: 'voice',
  smsApplicationSid: undefined,
}

/** The binding after a change. Throws FallbackWithoutUrlError. */
export function changedBinding(current: Binding, change: BindingChange): Binding {
  const changed = changedSettings(current, change, NO_BINDING)
  checkFallbacks(changed)
  return changed
}

export function toBindingRow(
  { sid, accountSid }: { readonly sid: string; readonly accountSid: string },
  binding: Binding,
  updatedAt: number,
): Written<NumberBindingsTable> {
  return {
    ...toWebhookColumns(binding),
    number_sid: sid,
    account_sid: accountSid,
    voice_application_sid: binding.voiceApplicationSid ?? null,
    voice_receive_mode: binding.voiceReceiveMode,
    sms_application_sid: binding.smsApplicationSid ?? null,
    updated_at: updatedAt,
  }
}

export function toBinding(row: Selectable<NumberBindingsTable>): Binding {
  return {
    ...toWebhookSettings(row),
    voiceApplicationSid: row.voice_application_sid ?? undefined,
    voiceReceiveMode: row.voice_receive_mode,
    smsApplicationSid: row.sms_application_sid ?? undefined,
  }
}
