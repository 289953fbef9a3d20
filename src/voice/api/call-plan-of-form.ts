/** Turns a checked Calls form into a call plan. Pure, except that it encrypts a password. */

import type { z } from '@hono/zod-openapi'
import type { WebhookMethod } from '../../platform/http/http-method.js'
import type { Vault } from '../../platform/secrets.js'
import { detectionParams } from '../amd/detection-plan.js'
import type { Application } from '../applications/applications.js'
import type { UpdateCall } from '../model/call-plan.js'
import {
  type CallPlan,
  changedStatusCallback,
  type MachineDetectionPlan,
  type StatusCallbackChange,
} from '../model/call-plan.js'
import type { RecordingWish } from '../model/recording-wish.js'
import type { createCallForm, RECORDED_AS, updateCallForm } from './call-schemas.js'
import { ApiError } from './dialect/errors.js'

/** The create form plus recording settings. `POST /Calls` uses fixed ones. */
type CreateForm = Omit<z.infer<typeof createCallForm>, keyof RecordedAs> & RecordedAs
type RecordedAs = {
  readonly [Field in keyof typeof RECORDED_AS]?: z.infer<(typeof RECORDED_AS)[Field]>
}
export type UpdateForm = z.infer<typeof updateCallForm>

const DEFAULT_TIMEOUT_SECONDS = 60

/**
 * Returns the plan of a call. An application replaces the URLs and the status callback of the form.
 * Inline markup wins over the URL of either.
 */
export function planOf(
  form: CreateForm,
  application: Application | undefined,
  vault: Vault,
): CallPlan {
  const effective = application === undefined ? form : withWebhooksOf(application, form)
  const document = documentOf(effective)
  if (document === undefined) throw nothingToRun(application)
  const statusCallback = changedStatusCallback(undefined, statusCallbackOf(effective))
  const recording = recordingOf(form)
  const machineDetection = machineDetectionOf(form)
  const sipAuth = sipAuthOf(form, vault)
  return {
    document,
    timeoutSeconds: form.Timeout ?? DEFAULT_TIMEOUT_SECONDS,
    ...(application === undefined ? {} : { applicationSid: application.sid }),
    ...(form.TimeLimit === undefined ? {} : { timeLimitSeconds: form.TimeLimit }),
    ...(statusCallback === undefined ? {} : { statusCallback }),
    ...(form.SendDigits === undefined ? {} : { sendDigits: form.SendDigits }),
    ...(form.CallReason === undefined ? {} : { callReason: form.CallReason }),
    ...(sipAuth === undefined ? {} : { sipAuth }),
    ...(recording === undefined ? {} : { recording }),
    ...(machineDetection === undefined ? {} : { machineDetection }),
  }
}

function withWebhooksOf(application: Application, form: CreateForm): CreateForm {
  return {
    ...form,
    Url: application.voiceUrl,
    Method: application.voiceMethod,
    FallbackUrl: application.voiceFallbackUrl,
    FallbackMethod: application.voiceFallbackMethod,
    StatusCallback: application.statusCallback,
    StatusCallbackMethod: application.statusCallbackMethod,
    StatusCallbackEvent: [...application.statusCallbackEvents],
  }
}

function nothingToRun(application: Application | undefined): ApiError {
  return application === undefined
    ? new ApiError(
        400,
        21205,
        "Url parameter is required: one of 'Url', 'Markup' and 'ApplicationSid'",
      )
    : new ApiError(400, 21205, `The application ${application.sid} has no VoiceUrl`)
}

export function changeOf(form: UpdateForm): UpdateCall {
  const document = documentOf(form)
  const statusCallback = statusCallbackOf(form)
  return {
    ...(form.Status === undefined ? {} : { end: form.Status }),
    ...(document === undefined ? {} : { document }),
    ...(form.TimeLimit === undefined ? {} : { timeLimitSeconds: form.TimeLimit }),
    ...(Object.keys(statusCallback).length === 0 ? {} : { statusCallback }),
  }
}

/** Returns the document that the form names. `Markup` wins over `Url` (API specification). */
function documentOf(form: UpdateForm): CallPlan['document'] | undefined {
  const inline = form.Markup ?? form.Twiml
  const fallbackMethod = form.FallbackMethod ?? 'POST'
  if (inline !== undefined)
    return form.FallbackUrl === undefined
      ? { type: 'inline', text: inline }
      : {
          type: 'inline',
          text: inline,
          fallback: { url: form.FallbackUrl, method: fallbackMethod },
        }
  if (form.Url === undefined) return undefined
  return {
    type: 'url',
    url: form.Url,
    method: form.Method ?? 'POST',
    fallbackMethod,
    ...(form.FallbackUrl === undefined ? {} : { fallbackUrl: form.FallbackUrl }),
  }
}

function statusCallbackOf(form: UpdateForm): StatusCallbackChange {
  return {
    ...(form.StatusCallback === undefined ? {} : { url: form.StatusCallback }),
    ...(form.StatusCallbackMethod === undefined ? {} : { method: form.StatusCallbackMethod }),
    ...(form.StatusCallbackEvent === undefined ? {} : { events: form.StatusCallbackEvent }),
  }
}

function recordingOf(form: CreateForm): RecordingWish | undefined {
  if (form.Record !== true) return undefined
  const events = form.RecordingStatusCallbackEvent ?? []
  const callback = callbackOf(form.RecordingStatusCallback, form.RecordingStatusCallbackMethod)
  return {
    source: 'OutboundAPI',
    channels: form.RecordingChannels ?? 'mono',
    track: form.RecordingTrack ?? 'both',
    trim: form.Trim ?? 'trim-silence',
    callback: callback && { ...callback, events: events.length === 0 ? ['completed'] : events },
  }
}

/**
 * Returns the machine detection settings of the form. With `SendDigits` there is no detection: the
 * callee is known to be a machine.
 */
function machineDetectionOf(form: CreateForm): MachineDetectionPlan | undefined {
  if (form.MachineDetection === undefined || form.SendDigits !== undefined) return undefined
  const callback = callbackOf(form.AsyncAmdStatusCallback, form.AsyncAmdStatusCallbackMethod)
  return {
    ...detectionParams(form.MachineDetection, {
      timeoutSeconds: form.MachineDetectionTimeout,
      speechThresholdMs: form.MachineDetectionSpeechThreshold,
      speechEndThresholdMs: form.MachineDetectionSpeechEndThreshold,
      silenceTimeoutMs: form.MachineDetectionSilenceTimeout,
      correctionWindowMs: form.MachineDetectionCorrectionWindow,
    }),
    ...(callback === undefined ? {} : { callback }),
  }
}

function callbackOf(url: string | undefined, method: WebhookMethod | undefined) {
  return url === undefined ? undefined : { url, method: method ?? 'POST' }
}

function sipAuthOf(form: CreateForm, vault: Vault): CallPlan['sipAuth'] {
  const { SipAuthUsername: username, SipAuthPassword: password } = form
  if (username === undefined) {
    if (password === undefined) return undefined
    throw new ApiError(400, 21225, 'SipAuthPassword is given without SipAuthUsername')
  }
  return { username, passwordSealed: vault.seal(password ?? '') }
}
