import type { IdempotentRequests, KeyedRequest } from '../api/api.js'
import { RefusedError } from '../api/dialect.js'
import type { Clock } from '../clock.js'
import type { Database, Reader, Writer } from '../database/database.js'
import type { Vault } from '../secrets.js'
import {
  findKept,
  type KeptRequest,
  keepRequest,
  refuseOther,
  removeOldRequests,
} from './kept-requests.js'

const MAX_KEY = 255
/** Number of expired keys removed with each new one. */
const SWEEP = 10

/**
 * Runs a request with an `Idempotency-Key` once. The answer is stored in the commit of its writes, so that a
 * crash keeps both or none. A run that throws stores nothing. With a `vault` the answers are stored sealed, for
 * APIs whose answers hold secrets.
 */
export function createIdempotentRequests(
  db: Database,
  clock: Pick<Clock, 'now'>,
  vault: Sealing = AS_IT_IS,
): IdempotentRequests {
  // Detects two concurrent requests early; the database decides.
  const running = new Set<string>()
  return {
    answerOf: async (request) => {
      refuseLong(request)
      return await earlierAnswer(db.read, vault, request, clock.now())
    },
    once: async (request, isInOneCommit, run) => {
      refuseLong(request)
      const name = `${request.caller} ${request.key}`
      if (running.has(name)) throw new RefusedError({ type: 'idempotency-key-in-use' })
      running.add(name)
      try {
        return isInOneCommit
          ? await onceInOneCommit({ db, vault }, request, clock.now(), run)
          : await onceAfterwards({ db, vault }, request, clock.now(), run)
      } finally {
        running.delete(name)
      }
    },
  }
}

function refuseLong({ key }: KeyedRequest): void {
  if (key.length > MAX_KEY)
    throw new RefusedError({ type: 'bad-idempotency-key', maxChars: MAX_KEY })
}

type Run = () => Promise<Response>
type Sealing = Pick<Vault, 'seal' | 'open'>

const AS_IT_IS: Sealing = { seal: (text) => text, open: (text) => text }

interface Store {
  readonly db: Database
  readonly vault: Sealing
}

function onceInOneCommit(
  { db, vault }: Store,
  request: KeyedRequest,
  now: number,
  run: Run,
): Promise<Response> {
  return db.inOneCommit(async (tx) => {
    const earlier = await earlierAnswer(tx, vault, request, now)
    if (earlier !== undefined) return earlier
    const response = await run()
    await keep(tx, vault, request, response, now)
    return response
  })
}

/** Runs a request that waits for other servers, outside the transaction that stores its answer. */
async function onceAfterwards(
  { db, vault }: Store,
  request: KeyedRequest,
  now: number,
  run: Run,
): Promise<Response> {
  const earlier = await db.write((tx) => earlierAnswer(tx, vault, request, now))
  if (earlier !== undefined) return earlier
  const response = await run()
  await db.write((tx) => keep(tx, vault, request, response, now))
  return response
}

async function earlierAnswer(
  read: Reader,
  vault: Sealing,
  request: KeyedRequest,
  now: number,
): Promise<Response | undefined> {
  const kept = await findKept(read, request, now)
  if (kept === undefined) return undefined
  refuseOther(kept, request.digest)
  return replay(kept, vault)
}

async function keep(
  tx: Writer,
  vault: Sealing,
  request: KeyedRequest,
  response: Response,
  now: number,
): Promise<void> {
  await removeOldRequests(tx, now, SWEEP)
  const outcome = vault.seal(await response.clone().text())
  const kept = { request: request.digest, status: response.status, outcome }
  await keepRequest(tx, request, kept, now)
}

function replay({ status, outcome }: KeptRequest, vault: Sealing): Response {
  const headers = { 'idempotency-replayed': 'true', 'x-content-type-options': 'nosniff' }
  // A type without a content makes clients parse nothing.
  if (status === 204) return new Response(null, { status, headers })
  const described = { ...headers, 'content-type': 'application/json' }
  // What an earlier version has kept is not sealed: it is JSON, which no sealed text looks like.
  const text = /^[[{"]/.test(outcome) ? outcome : vault.open(outcome)
  return new Response(text, { status, headers: described })
}
