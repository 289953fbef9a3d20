import { createRoute, type OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi'
import { callList, callResource, createCallForm, updateCallForm } from './call-schemas.js'
import { account, form, json, problem, security } from './documented.js'
import type { VoiceEnv } from './voice-env.js'

export const CALLS = '/2010-04-01/Accounts/{AccountSid}/Calls'

/** The same schemas that validate, written into `/openapi.json`. */
export function documentCalls(api: OpenAPIHono<VoiceEnv>): void {
  for (const route of routes()) api.openAPIRegistry.registerPath(route)
}

function routes(): RouteConfig[] {
  const one = account.extend({ Sid: z.string().regex(/^CA[0-9a-f]{32}$/) })
  return [
    createRoute({
      method: 'post',
      path: CALLS,
      security,
      operationId: 'createCall',
      request: { params: account, ...form(createCallForm) },
      responses: {
        201: json(callResource, 'The call, queued'),
        400: problem,
        401: problem,
        503: problem,
      },
    }),
    createRoute({
      method: 'get',
      path: CALLS,
      security,
      operationId: 'listCalls',
      request: { params: account, query: listQuery },
      responses: { 200: json(callList, 'A page, newest first'), 400: problem, 401: problem },
    }),
    createRoute({
      method: 'get',
      path: `${CALLS}/{Sid}`,
      security,
      operationId: 'fetchCall',
      request: { params: one },
      responses: { 200: json(callResource, 'The call'), 401: problem, 404: problem },
    }),
    createRoute({
      method: 'post',
      path: `${CALLS}/{Sid}`,
      security,
      operationId: 'updateCall',
      request: { params: one, ...form(updateCallForm) },
      responses: { 200: json(callResource, 'The call'), 400: problem, 401: problem, 404: problem },
    }),
    createRoute({
      method: 'delete',
      path: `${CALLS}/{Sid}`,
      security,
      operationId: 'deleteCall',
      request: { params: one },
      responses: { 204: { description: 'Gone' }, 401: problem, 404: problem, 409: problem },
    }),
  ]
}

const listQuery = z.object({
  To: z.string().optional(),
  From: z.string().optional(),
  Status: callResource.shape.status.optional(),
  ParentCallSid: z.string().optional(),
  StartTime: z.string().optional(),
  'StartTime<': z.string().optional(),
  'StartTime>': z.string().optional(),
  EndTime: z.string().optional(),
  'EndTime<': z.string().optional(),
  'EndTime>': z.string().optional(),
  Page: z.string().optional(),
  PageSize: z.string().optional(),
  PageToken: z.string().optional(),
})
