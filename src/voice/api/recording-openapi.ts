import { createRoute, type OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi'
import { CALLS } from './call-openapi.js'
import { account, deleted, form, json, problems, security } from './documented.js'
import { recordingResource, startRecordingForm, updateRecordingForm } from './recording-schemas.js'
import type { VoiceEnv } from './voice-env.js'

export const OF_CALL = `${CALLS}/{CallSid}/Recordings`
export const OF_ACCOUNT = '/2010-04-01/Accounts/{AccountSid}/Recordings'

const shown = json(recordingResource, 'The recording')
const page = json(z.object({ recordings: z.array(recordingResource) }), 'A page, newest first')
const SOUND =
  'The resource as `.json` or `.xml`; its sound as `.wav` or `.mp3`, in ranges, with one or two channels'
const media = { query: z.object({ RequestedChannels: z.enum(['1', '2']).optional() }) }

/** The same schemas that validate, written into `/openapi.json`. */
export function documentRecordings(api: OpenAPIHono<VoiceEnv>): void {
  for (const route of [...routesOfCall(), ...routesOfAccount()])
    api.openAPIRegistry.registerPath(route)
}

function routesOfCall(): RouteConfig[] {
  const call = account.extend({ CallSid: z.string() })
  const params = call.extend({ Sid: z.string() })
  const one = `${OF_CALL}/{Sid}`
  return [
    createRoute({
      ...{ method: 'post', path: OF_CALL, security, operationId: 'startRecording' },
      request: { params: call, ...form(startRecordingForm) },
      responses: { 201: shown, ...problems },
    }),
    createRoute({
      ...{ method: 'get', path: OF_CALL, security, operationId: 'listCallRecordings' },
      request: { params: call },
      responses: { 200: page, ...problems },
    }),
    createRoute({
      ...{ method: 'get', path: one, security, operationId: 'fetchCallRecording' },
      ...{ description: SOUND, request: { params, ...media } },
      responses: { 200: shown, ...problems },
    }),
    createRoute({
      ...{ method: 'post', path: one, security, operationId: 'updateRecording' },
      request: { params, ...form(updateRecordingForm) },
      responses: { 200: shown, ...problems },
    }),
    createRoute({
      ...{ method: 'delete', path: one, security, operationId: 'deleteCallRecording' },
      request: { params },
      responses: deleted,
    }),
  ]
}

function routesOfAccount(): RouteConfig[] {
  const params = account.extend({ Sid: z.string() })
  const one = `${OF_ACCOUNT}/{Sid}`
  return [
    createRoute({
      ...{ method: 'get', path: OF_ACCOUNT, security, operationId: 'listRecordings' },
      request: { params: account },
      responses: { 200: page, ...problems },
    }),
    createRoute({
      ...{ method: 'get', path: one, security, operationId: 'fetchRecording' },
      ...{ description: `${SOUND}; without a suffix, as \`.wav\``, request: { params, ...media } },
      responses: { 200: shown, ...problems },
    }),
    createRoute({
      ...{ method: 'delete', path: one, security, operationId: 'deleteRecording' },
      request: { params },
      responses: deleted,
    }),
  ]
}
