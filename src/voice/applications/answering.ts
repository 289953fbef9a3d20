/** Selects the webhooks that answer a call: those of an application or of a number. Pure. */
import type { VoiceSettings } from '../../accounts/settings.js'
import { type CallPlan, changedStatusCallback, type UrlDocument } from '../model/call-plan.js'
import type { Application } from './applications.js'
import type { CalledNumber } from './number-bindings.js'
import type { WebhookSettings } from './webhook-settings.js'

/** The parts of a call's plan that a number or its application sets. */
export type Answering = Pick<CallPlan, 'statusCallback' | 'applicationSid'> & {
  readonly document: UrlDocument
}

/**
 * Returns the webhooks for a call to the number; undefined without a voice URL. An application
 * replaces the URLs and the status callback of the number. A number with neither an application nor
 * a voice URL uses the URLs of its account.
 */
export function answeringOf(
  { binding, application }: CalledNumber,
  ofAccount: VoiceSettings,
): Answering | undefined {
  if (application === undefined)
    return answeringBy(
      binding.voiceUrl === undefined ? withUrlsOf(ofAccount, binding) : binding,
      [],
    )
  return answeringByApplication(application)
}

/** Returns the webhooks of an application; undefined when it has no voice URL. */
export function answeringByApplication(application: Application): Answering | undefined {
  const answering = answeringBy(application, application.statusCallbackEvents)
  return answering && { ...answering, applicationSid: application.sid }
}

function withUrlsOf(account: VoiceSettings, settings: WebhookSettings): WebhookSettings {
  return {
    ...settings,
    voiceUrl: account.url,
    voiceMethod: account.method ?? 'POST',
    voiceFallbackUrl: account.fallbackUrl,
    voiceFallbackMethod: account.fallbackMethod ?? 'POST',
  }
}

function answeringBy(
  settings: WebhookSettings,
  events: Application['statusCallbackEvents'],
): Answering | undefined {
  const { voiceUrl, voiceFallbackUrl, statusCallback: url } = settings
  if (voiceUrl === undefined) return undefined
  const document: UrlDocument = {
    type: 'url',
    url: voiceUrl,
    method: settings.voiceMethod,
    fallbackMethod: settings.voiceFallbackMethod,
    ...(voiceFallbackUrl === undefined ? {} : { fallbackUrl: voiceFallbackUrl }),
  }
  if (url === undefined) return { document }
  const wanted = { url, method: settings.statusCallbackMethod, events }
  const statusCallback = changedStatusCallback(undefined, wanted)
  return statusCallback === undefined ? { document } : { document, statusCallback }
}
