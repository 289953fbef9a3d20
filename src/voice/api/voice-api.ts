import { OpenAPIHono } from '@hono/zod-openapi'
import type { Accounts } from '../../accounts/accounts.js'
import type { Clock } from '../../platform/clock.js'
import { DomainError } from '../../platform/errors.js'
import type { Logger } from '../../platform/log.js'
import type { Vault } from '../../platform/secrets.js'
import type { Calls } from '../calls/calls.js'
import type { Conferences } from '../conferences/conferences.js'
import type { EventLog } from '../events/event-log.js'
import type { Queues } from '../queues/queues.js'
import type { Recordings } from '../recordings/recordings.js'
import type { Streams } from '../streams/streams.js'
import { addAccountRoutes } from './account-routes.js'
import { answerFormat } from './answer-format.js'
import { authenticate } from './authenticate.js'
import { addCallRoutes } from './call-routes.js'
import { addConferenceRecordingRoutes } from './conference-recording-routes.js'
import { addConferenceRoutes } from './conference-routes.js'
import { ApiError, errorResponse, fromDomainError, notFound } from './errors.js'
import { errorsPage } from './errors-page.js'
import { addEventRoutes } from './event-routes.js'
import { createGate, type GateLimits } from './gate.js'
import { addParticipantRoutes } from './participant-routes.js'
import { addQueueMemberRoutes } from './queue-member-routes.js'
import { addQueueRoutes } from './queue-routes.js'
import { addRecordingRoutes } from './recording-routes.js'
import { addStreamRoutes } from './stream-routes.js'
import type { VoiceEnv } from './voice-env.js'

export interface VoiceApiDeps {
  readonly accounts: Accounts
  readonly calls: Calls
  readonly streams: Streams
  readonly recordings: Recordings
  readonly conferences: Conferences
  readonly queues: Queues
  readonly events: EventLog
  readonly vault: Vault
  readonly log: Logger
  readonly clock: Clock
  readonly limits: GateLimits
}

/** Everything under `/2010-04-01`, with its own error shape. */
export function createVoiceApi(deps: VoiceApiDeps): (app: OpenAPIHono) => void {
  const api = new OpenAPIHono<VoiceEnv>()
  api.openAPIRegistry.registerComponent('securitySchemes', 'account', {
    type: 'http',
    scheme: 'basic',
    description: 'Username: the AccountSid. Password: its secret of 32 hex characters.',
  })
  const gate = createGate(deps.limits, deps.clock)
  api.use('/2010-04-01/*', answerFormat, gate.bound)
  api.use('/2010-04-01/Accounts/:AccountSid/*', authenticate(deps.accounts, gate))
  addAccountRoutes(api, deps.accounts)
  addCallRoutes(api, deps)
  addEventRoutes(api, deps)
  addStreamRoutes(api, deps)
  addRecordingRoutes(api, deps)
  addQueueRoutes(api, deps)
  addQueueMemberRoutes(api, deps)
  addConferenceRoutes(api, deps)
  addParticipantRoutes(api, deps)
  addConferenceRecordingRoutes(api, deps)
  api.get('/docs/errors', (c) => c.html(errorsPage()))
  refuseOtherMethods(api)
  // Last: what no route above took is a resource that does not exist.
  api.all('/2010-04-01/*', (c) => errorResponse(notFound(c.req.path)))
  api.onError((error, c) => {
    const known = error instanceof DomainError ? fromDomainError(error, c.req.path) : error
    if (known instanceof ApiError) return errorResponse(known)
    deps.log.error({ err: error, path: c.req.path }, 'a request failed')
    return errorResponse(new ApiError(500, 20500, 'Internal Server Error'))
  })
  return (app) => app.route('/', api)
}

/** A path that some route has, asked with a method that none has. */
function refuseOtherMethods(api: OpenAPIHono<VoiceEnv>): void {
  const paths = new Set(api.routes.filter(({ method }) => method !== 'ALL').map(({ path }) => path))
  for (const path of paths) {
    if (!path.startsWith('/2010-04-01/')) continue
    api.all(path, (c) => {
      throw new ApiError(405, 20004, `Method ${c.req.method} is not allowed here`)
    })
  }
}
