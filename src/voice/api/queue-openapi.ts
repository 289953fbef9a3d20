import { createRoute, type OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi'
import { account, form, json, problem, problems, security } from './documented.js'
import {
  createQueueForm,
  dequeueForm,
  memberResource,
  QUEUES,
  queueResource,
  updateQueueForm,
} from './queue-schemas.js'
import type { VoiceEnv } from './voice-env.js'

const ONE = `${QUEUES}/{Sid}`
const MEMBERS = `${QUEUES}/{QueueSid}/Members`
const MEMBER = `${MEMBERS}/{CallSid}`

/** The same schemas that validate, written into `/openapi.json`. */
export function documentQueues(api: OpenAPIHono<VoiceEnv>): void {
  for (const route of [...queueRoutes(), ...memberRoutes()]) api.openAPIRegistry.registerPath(route)
}

function queueRoutes(): RouteConfig[] {
  const params = account.extend({ Sid: z.string() })
  const list = z.object({ queues: z.array(queueResource) })
  const shown = { 200: json(queueResource, 'The queue'), ...problems }
  return [
    createRoute({
      ...{ method: 'post', path: QUEUES, security, operationId: 'createQueue' },
      request: { params: account, ...form(createQueueForm) },
      responses: { 201: json(queueResource, 'The queue'), 400: problem, 401: problem },
    }),
    createRoute({
      ...{ method: 'get', path: QUEUES, security, operationId: 'listQueues' },
      request: { params: account },
      responses: { 200: json(list, 'A page, newest first'), ...problems },
    }),
    createRoute({
      ...{ method: 'get', path: ONE, security, operationId: 'fetchQueue' },
      request: { params },
      responses: shown,
    }),
    createRoute({
      ...{ method: 'post', path: ONE, security, operationId: 'updateQueue' },
      request: { params, ...form(updateQueueForm) },
      responses: shown,
    }),
    createRoute({
      ...{ method: 'delete', path: ONE, security, operationId: 'deleteQueue' },
      request: { params },
      responses: {
        204: { description: 'Deleted' },
        401: problem,
        404: problem,
        409: { ...problem, description: 'Callers wait in it' },
      },
    }),
  ]
}

function memberRoutes(): RouteConfig[] {
  const ofQueue = account.extend({ QueueSid: z.string() })
  const params = ofQueue.extend({ CallSid: z.string() })
  const list = z.object({ queue_members: z.array(memberResource) })
  const shown = { 200: json(memberResource, 'The caller'), ...problems }
  return [
    createRoute({
      ...{ method: 'get', path: MEMBERS, security, operationId: 'listQueueMembers' },
      request: { params: ofQueue },
      responses: { 200: json(list, 'A page, first come, first'), ...problems },
    }),
    createRoute({
      ...{ method: 'get', path: MEMBER, security, operationId: 'fetchQueueMember' },
      request: { params },
      responses: shown,
    }),
    createRoute({
      ...{ method: 'post', path: MEMBER, security, operationId: 'dequeueMember' },
      request: { params, ...form(dequeueForm) },
      responses: shown,
    }),
  ]
}
