/** The voice settings of a number. Pure. */
import { columnsOf, fieldsOf } from '../../platform/database/fields.js'
import type { Selectable, Written } from '../../platform/database/tables.js'
import type { NumberBindingsTable } from './tables.js'
import {
  changedSettings,
  checkFallbacks,
  NO_WEBHOOKS,
  type SettingsChange,
  type WebhookSettings,
  webhookColumns,
} from './webhook-settings.js'

export interface Binding extends WebhookSettings {
  /** The application that answers calls instead of the voice URLs. */
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

/** Returns the settings with the changes applied. Throws FallbackWithoutUrlError. */
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
  const numberSid = sid
  return columnsOf(binding, { ...webhookColumns(binding), numberSid, accountSid, updatedAt })
}

export function toBinding({
  numberSid: _number,
  accountSid: _account,
  updatedAt: _at,
  ...row
}: Selectable<NumberBindingsTable>): Binding {
  return fieldsOf(row, { voiceCallerIdLookup: row.voiceCallerIdLookup === 1 })
}
