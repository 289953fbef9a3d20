import { z } from '@hono/zod-openapi'
import { Hono } from 'hono'
import { streamSSE } from 'hono/streaming'
import type { Accounts } from '../accounts/accounts.js'
import { NumberTakenError, type PhoneNumber, type PhoneNumbers } from '../numbers/phone-numbers.js'
import type { Logger } from '../platform/log.js'
import { isSameSecret } from '../platform/secrets.js'
import type { RecordedEvent } from '../voice/events/call-event.js'
import type { EventLog } from '../voice/events/event-log.js'
import { parseCallAddress } from '../voice/model/address.js'
import type { Carrier, Carriers } from '../voice/routing/carriers.js'
import { addAccountRoutes } from './account-routes.js'
import { carrierBody, numberBody } from './admin-schemas.js'

export interface AdminApiDeps {
  readonly token: string
  readonly accounts: Accounts
  readonly numbers: PhoneNumbers
  readonly carriers: Carriers
  readonly events: EventLog
  /** Gauges and counters of this moment, by name. */
  readonly metrics: () => Promise<Readonly<Record<string, number>>>
  readonly log: Logger
  /** The operator's sides of other features, each below its path. */
  readonly mount?: readonly { readonly path: string; readonly app: Hono }[]
}

/** Event lines waiting for a slow reader of `/events`; it is cut off beyond. */
const MAX_BACKLOG = 1_000

/** The private listener: what an operator does. Everything needs `Authorization: Bearer ADMIN_TOKEN`. */
export function createAdminApi(deps: AdminApiDeps): Hono {
  const app = new Hono()
  app.get('/healthz', (c) => c.json({ status: 'ok' }))
  app.use(async (c, next) => {
    const given = /^Bearer (\S{1,200})$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? ''
    if (isSameSecret(given, deps.token)) return next()
    return c.json({ error: 'the admin token is missing or wrong' }, 401)
  })
  addAccountRoutes(app, deps.accounts)
  addNumberRoutes(app, deps)
  addCarrierRoutes(app, deps.carriers)
  addObservation(app, deps)
  for (const { path, app: part } of deps.mount ?? []) app.route(path, part)
  app.notFound((c) => c.json({ error: 'not found' }, 404))
  app.onError((error, c) => {
    if (error instanceof z.ZodError) return c.json({ error: z.prettifyError(error) }, 400)
    if (error instanceof SyntaxError) return c.json({ error: 'the body is not JSON' }, 400)
    if (error instanceof NumberTakenError) return c.json({ error: error.message }, 409)
    deps.log.error({ err: error, path: c.req.path }, 'an admin request failed')
    return c.json({ error: 'internal error' }, 500)
  })
  return app
}

function addNumberRoutes(app: Hono, deps: AdminApiDeps): void {
  const { numbers, accounts } = deps
  app.get('/numbers', async (c) => c.json({ numbers: (await numbers.list()).map(numberToWire) }))
  app.put('/numbers/:number', async (c) => {
    const address = parseCallAddress(c.req.param('number'), [])
    if (address?.type !== 'number') return c.json({ error: 'not an E.164 number' }, 400)
    const body = numberBody.parse(await c.req.json())
    const account = await accounts.find(body.accountSid)
    if (account === undefined)
      return c.json({ error: `there is no account ${body.accountSid}` }, 404)
    const number = await numbers.assign(account.sid, address.e164, {
      voiceUrl: body.voiceUrl,
      voiceMethod: body.voiceMethod,
      voiceFallbackUrl: body.voiceFallbackUrl,
      voiceFallbackMethod: body.voiceFallbackMethod,
      statusCallback: body.statusCallback,
      statusCallbackMethod: body.statusCallbackMethod,
    })
    return c.json(numberToWire(number))
  })
  app.delete('/numbers/:number', async (c) =>
    (await numbers.release(c.req.param('number')))
      ? c.body(null, 204)
      : c.json({ error: 'not found' }, 404),
  )
}

function numberToWire({ e164, ...rest }: PhoneNumber) {
  return { number: e164, ...rest }
}

function addCarrierRoutes(app: Hono, carriers: Carriers): void {
  app.get('/carriers', async (c) =>
    c.json({ carriers: (await carriers.list()).map(carrierToWire) }),
  )
  app.put('/carriers/:name', async (c) => {
    const name = c.req.param('name')
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(name))
      return c.json({ error: 'a name has letters, digits, - and _' }, 400)
    const { auth, ...body } = carrierBody.parse(await c.req.json())
    const carrier: Carrier = { name, ...body, ...(auth === undefined ? {} : { auth }) }
    await carriers.put(carrier)
    return c.json(carrierToWire(carrier))
  })
  app.delete('/carriers/:name', async (c) =>
    (await carriers.remove(c.req.param('name')))
      ? c.body(null, 204)
      : c.json({ error: 'not found' }, 404),
  )
}

/** Without the password. */
function carrierToWire({ auth, ...rest }: Carrier) {
  return { ...rest, username: auth?.username ?? null }
}

function addObservation(app: Hono, deps: AdminApiDeps): void {
  app.get('/metrics', async (c) => {
    const lines = Object.entries(await deps.metrics()).map(
      ([name, value]) => `trunkline_${name} ${value}`,
    )
    return c.text(`${lines.join('\n')}\n`)
  })
  /** Every event of every call, as it happens: server-sent events, one JSON object each. */
  app.get('/events', (c) =>
    streamSSE(c, async (stream) => {
      const backlog: RecordedEvent[] = []
      let wake: (() => void) | undefined
      const stop = deps.events.onEvent((event) => {
        backlog.push(event)
        if (backlog.length > MAX_BACKLOG) stream.abort()
        wake?.()
      })
      stream.onAbort(() => wake?.())
      try {
        await stream.writeSSE({ event: 'ready', data: '{}' })
        while (!stream.aborted) {
          const event = backlog.shift()
          if (event !== undefined)
            await stream.writeSSE({ event: 'call', data: JSON.stringify(event) })
          else await new Promise<void>((resolve) => (wake = resolve))
        }
      } finally {
        stop()
      }
    }),
  )
}
