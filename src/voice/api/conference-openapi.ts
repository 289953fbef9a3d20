import { createRoute, type OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi'
import {
  CONFERENCES,
  conferenceResource,
  createParticipantForm,
  participantResource,
  updateConferenceForm,
  updateParticipantForm,
} from './conference-schemas.js'
import { account, form, json, problem, problems, security } from './documented.js'
import { recordingResource, updateRecordingForm } from './recording-schemas.js'
import type { VoiceEnv } from './voice-env.js'

const PARTICIPANTS = `${CONFERENCES}/{ConferenceSid}/Participants`

/** The same schemas that validate, written into `/openapi.json`. */
export function documentConferences(api: OpenAPIHono<VoiceEnv>): void {
  for (const route of [...conferenceRoutes(), ...participantRoutes(), ...recordingRoutes()])
    api.openAPIRegistry.registerPath(route)
}

function conferenceRoutes(): RouteConfig[] {
  const one = account.extend({ Sid: z.string() })
  const conferences = z.object({ conferences: z.array(conferenceResource) })
  const shown = { 200: json(conferenceResource, 'The conference'), ...problems }
  return [
    createRoute({
      ...{ method: 'get', path: CONFERENCES, security, operationId: 'listConferences' },
      request: { params: account },
      responses: { 200: json(conferences, 'A page, newest first'), ...problems },
    }),
    createRoute({
      ...{ method: 'get', path: `${CONFERENCES}/{Sid}`, security, operationId: 'fetchConference' },
      request: { params: one },
      responses: shown,
    }),
    createRoute({
      ...{ method: 'post', path: `${CONFERENCES}/{Sid}`, security },
      operationId: 'updateConference',
      request: { params: one, ...form(updateConferenceForm) },
      responses: shown,
    }),
  ]
}

function participantRoutes(): RouteConfig[] {
  const room = account.extend({ ConferenceSid: z.string() })
  const somebody = room.extend({ CallSid: z.string() })
  const participant = `${PARTICIPANTS}/{CallSid}`
  const participants = z.object({ participants: z.array(participantResource) })
  const found = { 200: json(participantResource, 'The participant'), ...problems }
  return [
    createRoute({
      ...{ method: 'get', path: PARTICIPANTS, security, operationId: 'listParticipants' },
      request: { params: room },
      responses: { 200: json(participants, 'A page, newest first'), ...problems },
    }),
    createRoute({
      ...{ method: 'post', path: PARTICIPANTS, security, operationId: 'createParticipant' },
      request: { params: room, ...form(createParticipantForm) },
      responses: { 201: json(participantResource, 'The participant, queued'), ...problems },
    }),
    createRoute({
      ...{ method: 'get', path: participant, security, operationId: 'fetchParticipant' },
      request: { params: somebody },
      responses: found,
    }),
    createRoute({
      ...{ method: 'post', path: participant, security, operationId: 'updateParticipant' },
      request: { params: somebody, ...form(updateParticipantForm) },
      responses: found,
    }),
    createRoute({
      ...{ method: 'delete', path: participant, security, operationId: 'removeParticipant' },
      request: { params: somebody },
      responses: { 204: { description: 'Out of the conference' }, 401: problem, 404: problem },
    }),
  ]
}

function recordingRoutes(): RouteConfig[] {
  const room = account.extend({ ConferenceSid: z.string() })
  const recording = room.extend({ Sid: z.string() })
  const path = `${CONFERENCES}/{ConferenceSid}/Recordings`
  const one = `${path}/{Sid}`
  const recordings = z.object({ recordings: z.array(recordingResource) })
  const found = { 200: json(recordingResource, 'The recording'), ...problems }
  return [
    createRoute({
      ...{ method: 'get', path, security, operationId: 'listConferenceRecordings' },
      request: { params: room },
      responses: { 200: json(recordings, 'A page, newest first'), ...problems },
    }),
    createRoute({
      ...{ method: 'get', path: one, security, operationId: 'fetchConferenceRecording' },
      request: { params: recording },
      responses: found,
    }),
    createRoute({
      ...{ method: 'post', path: one, security, operationId: 'updateConferenceRecording' },
      request: { params: recording, ...form(updateRecordingForm) },
      responses: found,
    }),
    createRoute({
      ...{ method: 'delete', path: one, security, operationId: 'removeConferenceRecording' },
      request: { params: recording },
      responses: { 204: { description: 'Removed' }, 401: problem, 404: problem },
    }),
  ]
}
