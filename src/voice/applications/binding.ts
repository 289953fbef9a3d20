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
    numberSid: sid,
    accountSid,
    voiceApplicationSid: binding.voiceApplicationSid ?? null,
    voiceReceiveMode: binding.voiceReceiveMode,
    smsApplicationSid: binding.smsApplicationSid ?? null,
    updatedAt,
  }
}

export function toBinding(row: Selectable<NumberBindingsTable>): Binding {
  return {
    ...toWebhookSettings(row),
    voiceApplicationSid: row.voiceApplicationSid ?? undefined,
    voiceReceiveMode: row.voiceReceiveMode,
    smsApplicationSid: row.smsApplicationSid ?? undefined,
  }
}
