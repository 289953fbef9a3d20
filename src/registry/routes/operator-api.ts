import { z } from '@hono/zod-openapi'
import { Hono } from 'hono'
import { listMessages } from '../jobs/messages.js'
import type { Core } from '../model/core.js'
import { RegistryError, refuse } from '../model/registry-error.js'
import type { Services } from '../services/create-services.js'
import { listCsps } from '../storage/csps.js'
import type { TurnedClock } from '../storage/turned-clock.js'
import { parse } from './mount-operations.js'
import { readJson } from './read-body.js'

const explanation = z.string().max(2048).default('')
const brandDecision = z.object({
  identityStatus: z.enum(['UNVERIFIED', 'VERIFIED', 'VETTED_VERIFIED', 'UNSUCCESSFUL']),
  explanation,
})
const operationDecision = z.object({
  status: z.enum(['REGISTERED', 'REVIEW', 'REJECTED', 'SUSPENDED']),
  category: z.string().max(60).optional(),
  explanation,
})
const shareDecision = z.discriminatedUnion('decision', [
  z.object({ decision: z.literal('ACCEPT') }),
  z.object({
    decision: z.literal('DECLINE'),
    rejectionCategory: z.array(z.string()).min(1),
    explanation,
  }),
])
const cspChange = z
  .object({
    status: z.enum(['ACTIVE', 'SUSPENDED']),
    platformFreeTrialEnabled: z.boolean(),
    soleProprietorEnabled: z.boolean(),
    ucaasEnabled: z.boolean(),
    publicSafetyEnabled: z.boolean(),
    dpaSigned: z.boolean(),
    rcsEnabled: z.boolean(),
    freeTrialBrandId: z.string(),
  })
  .partial()

/** The operator's side, for the private listener: it does the authentication. */
export function createOperatorApi(
  core: Core,
  services: Services,
  clock: TurnedClock | undefined,
): Hono {
  const app = new Hono()
  addDecisions(app, core, services)
  addAssets(app, services)
  addCsps(app, core, services)
  addNumbers(app, services)
  app.post('/clock', async (c) => {
    const { advanceMs } = await body(c.req.raw, z.object({ advanceMs: z.number().int().min(0) }))
    if (clock === undefined) throw refuse(592, [], 'the clock cannot be turned here')
    await clock.turn(advanceMs)
    core.wake()
    return c.json({ now: new Date(core.clock.now()).toISOString() })
  })
  app.onError((error, c) => {
    if (error instanceof RegistryError) return c.json(error.problems, 400)
    core.log.error({ err: error, path: c.req.path }, 'an operator request of the registry failed')
    return c.json({ error: 'internal error' }, 500)
  })
  return app
}

async function body<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
): Promise<z.infer<Schema>> {
  return parse(schema, await readJson(request), 'body')
}

function addAssets(app: Hono, { assets }: Services): void {
  app.put('/assets/:assetId', async (c) => {
    const schema = z.object({ status: z.enum(['ACTIVE', 'REJECTED']), explanation })
    await assets.decide(c.req.param('assetId'), await body(c.req.raw, schema))
    return c.body(null, 204)
  })
}

function addDecisions(app: Hono, core: Core, { operator, vettings }: Services): void {
  app.put('/brands/:brandId/identity', async (c) => {
    await operator.decideBrand(c.req.param('brandId'), await body(c.req.raw, brandDecision))
    return c.body(null, 204)
  })
  app.put('/campaigns/:campaignId/operations/:mnoId', async (c) => {
    const { category, ...decision } = await body(c.req.raw, operationDecision)
    const known = core.tables.enumerations['suspensionCategory'] ?? []
    if (category !== undefined && !known.includes(category))
      throw refuse(501, ['category'], 'one of /enum/suspensionCategory')
    const operation = { ...decision, category }
    const mnoId = Number(c.req.param('mnoId'))
    await operator.decideOperation(c.req.param('campaignId'), mnoId, operation)
    return c.body(null, 204)
  })
  app.put('/campaigns/:campaignId/sharing/:cnpId', async (c) => {
    const decision = await body(c.req.raw, shareDecision)
    const { campaignId, cnpId } = c.req.param()
    if (decision.decision === 'ACCEPT') await operator.acceptShare(campaignId, cnpId)
    else await operator.declineShare(campaignId, cnpId, decision)
    return c.body(null, 204)
  })
  app.post('/campaigns/:campaignId/complaints', async (c) => {
    const schema = z.object({ mnoId: z.number().int(), explanation })
    const complaint = await body(c.req.raw, schema)
    await operator.complain(c.req.param('campaignId'), complaint.mnoId, complaint.explanation)
    return c.body(null, 204)
  })
  app.put('/vettings/:vettingId', async (c) => {
    const schema = z.object({ score: z.number().int().min(0).max(100).nullable() })
    const { score } = await body(c.req.raw, schema)
    await vettings.decide(c.req.param('vettingId'), score ?? undefined)
    return c.body(null, 204)
  })
  app.post('/vettings/:vettingId/letter', async (c) => {
    await vettings.noteLetter(c.req.param('vettingId'))
    return c.body(null, 204)
  })
  app.put('/appeals/:appealId', async (c) => {
    const schema = z.object({ isGranted: z.boolean(), explanation })
    await vettings.decideAppeal(c.req.param('appealId'), await body(c.req.raw, schema))
    return c.body(null, 204)
  })
}

function addCsps(app: Hono, core: Core, { csps }: Services): void {
  app.get('/csps', async (c) => c.json({ csps: await listCsps(core.db.read) }))
  app.patch('/csps/:cspId', async (c) => {
    const { status, ...change } = await body(c.req.raw, cspChange)
    const cspId = c.req.param('cspId')
    const given = Object.entries(change).filter(([, value]) => value !== undefined)
    const changed = await csps.update(cspId, Object.fromEntries(given))
    return c.json(status === undefined ? changed : await csps.setStatus(cspId, status))
  })
  app.get('/csps/:cspId/charges', async (c) => {
    const charges = await core.db.read
      .selectFrom('registry_charges')
      .select(['kind', 'subject', 'amount', 'at'])
      .where('csp_id', '=', c.req.param('cspId'))
      .orderBy('id', 'desc')
      .limit(500)
      .execute()
    return c.json({ charges })
  })
  app.get('/messages', async (c) => {
    const recipient = c.req.query('recipient')
    return c.json({ messages: await listMessages(core, recipient) })
  })
}

function addNumbers(app: Hono, { csps, campaigns, numbers }: Services): void {
  app.put('/csps/:cspId/campaigns/:campaignId/numbers/:number', async (c) => {
    const { cspId, campaignId, number } = c.req.param()
    const csp = await csps.find(cspId)
    await campaigns.find(cspId, campaignId)
    await numbers.provision(csp.accountSid, campaignId, number)
    return c.body(null, 204)
  })
  app.delete('/csps/:cspId/numbers/:number', async (c) => {
    const { cspId, number } = c.req.param()
    await numbers.release((await csps.find(cspId)).accountSid, number)
    return c.body(null, 204)
  })
}
