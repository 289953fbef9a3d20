/** The Streams resource of a call: forms, operations and wire form. */
import { z } from '@hono/zod-openapi'
import type { FormFields } from '../../platform/api/read-body.js'
import { lastOf } from '../../platform/api/repeated.js'
import { countCharacters } from '../../platform/text.js'
import type { Calls } from '../calls/calls.js'
import { CallNotInProgressError } from '../model/call-errors.js'
import { API_VERSION, rfc2822 } from '../model/callback-params.js'
import type { StreamRecord } from '../streams/stream-record.js'
import { tracksOf } from '../streams/stream-tracks.js'
import type { Streams } from '../streams/streams.js'
import { CALLS } from './call-operations.js'
import { ApiError } from './dialect/errors.js'
import { callbackUrl, httpMethod, oneOf, optionalText } from './dialect/form.js'
import { list, operation, said, sid, type VoiceOperation } from './dialect/operation.js'
import { positionOf } from './dialect/voice-paging.js'

const STREAMS = `${CALLS}/{CallSid}/Streams`
const STREAM = `${STREAMS}/{Sid}`
const params = { Sid: sid('MZ', 'stream') }
/** Track of every stream started by this API; the documented `Track` is accepted and ignored. */
const TRACK = 'inbound_track'
const MAX_NAME = 256

const startStreamForm = z
  .object({
    // A wrong scheme has its own error number; the URL is checked when the stream starts.
    Url: z.preprocess(lastOf, z.string().min(1).max(2_048)),
    /** Accepted and stored, but ignored. */
    Track: optionalText(),
    Name: optionalText(undefined, undefined, MAX_NAME),
    StatusCallback: callbackUrl(),
    StatusCallbackMethod: httpMethod(),
  })
  .openapi('StartStream')

/** Client libraries send `Status`; the API specification requires no field. */
const stopStreamForm = z.object({ Status: oneOf(['stopped']) }).openapi('StopStream')

const fieldErrors = {
  Url: { invalid: 31923, missing: 21205 },
  StatusCallback: { invalid: 21609 },
  StatusCallbackMethod: { invalid: 21209 },
}

const streamResource = z
  .object({
    sid: said('The sid of the stream: MZ and 32 hex digits.'),
    account_sid: said('The sid of its account.'),
    call_sid: said('The sid of its call.'),
    name: said('The name that it was given.').nullable(),
    status: z.enum(['in-progress', 'stopped']).openapi({ description: 'Whether it runs.' }),
    date_created: said('When it began, as in RFC 2822.'),
    date_updated: said('When it changed last, as in RFC 2822.'),
    uri: said('Its path.'),
  })
  .openapi('Stream')

interface StreamDeps {
  readonly calls: Calls
  readonly streams: Streams
}

export function streamOperations({ calls, streams }: StreamDeps): VoiceOperation[] {
  const callOf = async (accountSid: string, callSid: string) => {
    const call = await calls.fetch(accountSid, callSid)
    return { accountSid, callSid: call.sid }
  }
  return [
    startOperation({ calls, streams }, callOf),
    list({
      id: 'listStreams',
      summary: 'List the latest stream of a call, if it has one',
      path: STREAMS,
      name: 'streams',
      record: streamResource,
      errors: [404],
      run: async ({ caller, params: { CallSid } }, page) => {
        const call = await callOf(caller.sid, CallSid)
        const found = await streams.latest(call)
        const isShown = found !== undefined && page.offset === 0
        return {
          items: isShown ? [streamToWire(found)] : [],
          total: found === undefined ? 0 : 1,
          first: positionOf(found),
          path: `/${API_VERSION}/Accounts/${caller.sid}/Calls/${call.callSid}/Streams`,
        }
      },
    }),
    operation({
      id: 'fetchStream',
      summary: 'Get a stream',
      method: 'get',
      path: STREAM,
      params,
      response: streamResource,
      errors: [404],
      run: async ({ caller, params: { CallSid, Sid } }) =>
        streamToWire(await streams.fetch(await callOf(caller.sid, CallSid), Sid)),
    }),
    operation({
      id: 'stopStream',
      summary: 'Stop a stream',
      method: 'post',
      path: STREAM,
      params,
      body: stopStreamForm,
      fieldErrors,
      response: streamResource,
      errors: [404, 503],
      runsAt: ({ caller, params: { CallSid } }) => calls.otherNodeOf(caller.sid, CallSid),
      run: async ({ caller, params: { CallSid, Sid } }) =>
        streamToWire(await streams.stop(await callOf(caller.sid, CallSid), Sid)),
    }),
  ]
}

type CallOf = (
  accountSid: string,
  callSid: string,
) => Promise<{ readonly accountSid: string; readonly callSid: string }>

function startOperation({ calls, streams }: StreamDeps, callOf: CallOf): VoiceOperation {
  return operation({
    id: 'startStream',
    summary: 'Send the audio of a call to a websocket',
    description: '`Parameter1.Name`, `Parameter1.Value` … up to 99 are sent with its start.',
    method: 'post',
    path: STREAMS,
    body: startStreamForm,
    fieldErrors,
    response: streamResource,
    errors: [404, 503],
    runsAt: ({ caller, params: { CallSid } }) => calls.otherNodeOf(caller.sid, CallSid),
    run: async ({ caller, params: { CallSid }, body, given }) => {
      const call = await callOf(caller.sid, CallSid)
      const parameters = parametersOf(given as FormFields) // the form before parsing
      const { leg } = await calls.talking(call.accountSid, call.callSid)
      if (leg === undefined)
        throw new CallNotInProgressError(`call ${call.callSid} is not in progress`)
      const callback =
        body.StatusCallback === undefined
          ? undefined
          : { url: body.StatusCallback, method: body.StatusCallbackMethod ?? 'POST' }
      const { record } = await streams.start(
        { ...call, leg },
        {
          url: body.Url,
          name: body.Name,
          callback,
          parameters,
          track: body.Track ?? TRACK,
          tracks: tracksOf(TRACK),
          kind: 'one-way',
        },
      )
      return streamToWire(record)
    },
  })
}

function streamToWire(stream: StreamRecord): z.infer<typeof streamResource> {
  const { sid: streamSid, accountSid, callSid } = stream
  return {
    sid: streamSid,
    account_sid: accountSid,
    call_sid: callSid,
    name: stream.name ?? null,
    status: stream.status,
    date_created: rfc2822(new Date(stream.createdAt)),
    date_updated: rfc2822(new Date(stream.updatedAt)),
    uri: `/${API_VERSION}/Accounts/${accountSid}/Calls/${callSid}/Streams/${streamSid}.json`,
  }
}

const LAST = 99
/** Maximum length of a parameter's name plus value, in characters (documented). */
const MAX_CHARS = 500

/** Returns the custom parameters `Parameter1.Name`, `Parameter1.Value` … `Parameter99.Value`. */
function parametersOf(fields: FormFields): Readonly<Record<string, string>> {
  const parameters = new Map<string, string>()
  for (let n = 1; n <= LAST; n += 1) {
    const name = textOf(fields[`Parameter${n}.Name`])
    if (name === '') continue
    const value = textOf(fields[`Parameter${n}.Value`])
    if (countCharacters(name + value) > MAX_CHARS)
      throw new ApiError(400, 20422, `'Parameter${n}' is not valid: longer than ${MAX_CHARS}`)
    parameters.set(name, value)
  }
  return Object.fromEntries(parameters)
}

function textOf(field: FormFields[string] | undefined): string {
  return typeof field === 'string' ? field : (field?.at(-1) ?? '')
}
