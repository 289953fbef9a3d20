/** What the descriptions of the voice API's routes in `/openapi.json` have in common. */
import { z } from '@hono/zod-openapi'
import { errorResource } from './call-schemas.js'

/** The path as the router wants it, of one as descriptions have it. */
export function routerPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

export const json = (schema: z.ZodType, description: string) => ({
  description,
  content: { 'application/json': { schema } },
})

export const form = (schema: z.ZodType) => ({
  body: { required: true, content: { 'application/x-www-form-urlencoded': { schema } } },
})

export const problem = json(errorResource, 'The documented error')
export const problems = { 400: problem, 401: problem, 404: problem }
export const deleted = { 204: { description: 'Deleted' }, 401: problem, 404: problem }
export const security = [{ account: [] }]

/** The path's parameters; descriptions of what is below it extend them. */
export const account = z.object({ AccountSid: z.string().regex(/^AC[0-9a-f]{32}$/) })
