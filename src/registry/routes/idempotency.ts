import { createHash } from 'node:crypto'
import type { IdempotentRequests, KeyedRequest } from '../../platform/api/api.js'
import type { Core } from '../model/core.js'
import { refuse } from '../model/registry-error.js'

const KEPT_MS = 24 * 3_600_000
/** A request that never ended (the process was killed) stops blocking its repetition. */
const ABANDONED_MS = 60_000
const MAX_KEY = 255
/** What is cleared away of old keys with each new one. */
const SWEEP = 10

export function createIdempotencyKeys(core: Core): IdempotentRequests {
  return {
    once: async (request, run) => {
      if (request.key.length > MAX_KEY)
        throw refuse(501, ['Idempotency-Key'], `at most ${MAX_KEY} characters`)
      const hash = createHash('sha256').update(`${request.what}\n`).update(request.content)
      const requestHash = hash.digest('hex')
      const earlier = await claim(core, request, requestHash)
      if (earlier !== undefined) return replay(earlier)
      try {
        const response = await run()
        await remember(core, request, response)
        return response
      } catch (error) {
        await forget(core, request)
        throw error
      }
    },
  }
}

interface Earlier {
  readonly status: number | null
  readonly response: string | null
}

async function claim(
  core: Core,
  { caller: cspId, key }: KeyedRequest,
  requestHash: string,
): Promise<Earlier | undefined> {
  const now = core.clock.now()
  return core.db.write(async (tx) => {
    const old = await tx
      .selectFrom('registry_idempotency')
      .select(['csp_id', 'idempotency_key'])
      .where('created_at', '<', now - KEPT_MS)
      .limit(SWEEP)
      .execute()
    for (const row of old) {
      await tx
        .deleteFrom('registry_idempotency')
        .where('csp_id', '=', row.csp_id)
        .where('idempotency_key', '=', row.idempotency_key)
        .execute()
    }
    const row = await tx
      .selectFrom('registry_idempotency')
      .selectAll()
      .where('csp_id', '=', cspId)
      .where('idempotency_key', '=', key)
      .executeTakeFirst()
    if (row !== undefined && row.request_hash !== requestHash)
      throw refuse(501, ['Idempotency-Key'], 'the key was used for another request')
    if (row?.response != null) return row
    if (row !== undefined && row.created_at > now - ABANDONED_MS)
      throw refuse(591, ['Idempotency-Key'], 'the first request with this key is still running')
    await tx
      .insertInto('registry_idempotency')
      .values({
        csp_id: cspId,
        idempotency_key: key,
        request_hash: requestHash,
        status: null,
        response: null,
        created_at: now,
      })
      .onConflict((conflict) =>
        conflict.columns(['csp_id', 'idempotency_key']).doUpdateSet({ created_at: now }),
      )
      .execute()
    return undefined
  })
}

function replay({ status, response }: Earlier): Response {
  const headers = { 'Idempotency-Replayed': 'true', 'Content-Type': 'application/json' }
  return status === 204
    ? new Response(null, { status, headers })
    : new Response(response, { status: status ?? 200, headers })
}

async function remember(core: Core, { caller: cspId, key }: KeyedRequest, response: Response) {
  const body = await response.clone().text()
  await core.db.write((tx) =>
    tx
      .updateTable('registry_idempotency')
      .set({ status: response.status, response: body })
      .where('csp_id', '=', cspId)
      .where('idempotency_key', '=', key)
      .execute(),
  )
}

async function forget(core: Core, { caller: cspId, key }: KeyedRequest): Promise<void> {
  await core.db.write((tx) =>
    tx
      .deleteFrom('registry_idempotency')
      .where('csp_id', '=', cspId)
      .where('idempotency_key', '=', key)
      .execute(),
  )
}
