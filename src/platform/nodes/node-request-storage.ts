import type { Reader, Writer } from '../database/database.js'

/** A request to a node; `content` is sealed. */
export interface NodeRequest {
  readonly id: string
  readonly node: string
  readonly kind: string
  readonly content: string
  /** Epoch milliseconds. */
  readonly askedAt: number
}

export async function insertRequest(tx: Writer, request: NodeRequest): Promise<void> {
  const { id, node, kind, content, askedAt } = request
  const nothingYet = { takenAt: null, answer: null }
  await tx
    .insertInto('node_requests')
    .values({ id, node, kind, content, askedAt, ...nothingYet })
    .execute()
}

/** Resolves with the ids of at most `limit` unclaimed requests to the node, oldest first. */
export async function openRequests(
  read: Reader,
  node: string,
  limit: number,
): Promise<readonly string[]> {
  const rows = await read
    .selectFrom('node_requests')
    .select('id')
    .where('node', '=', node)
    .where('takenAt', 'is', null)
    .orderBy('askedAt')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Claims a request to run it; undefined when it was withdrawn. */
export async function takeRequest(
  tx: Writer,
  id: string,
  now: number,
): Promise<Pick<NodeRequest, 'id' | 'kind' | 'content'> | undefined> {
  return await tx
    .updateTable('node_requests')
    .set({ takenAt: now })
    .where('id', '=', id)
    .where('takenAt', 'is', null)
    .returning(['id', 'kind', 'content'])
    .executeTakeFirst()
}

export async function storeAnswer(tx: Writer, id: string, answer: string): Promise<void> {
  await tx.updateTable('node_requests').set({ answer }).where('id', '=', id).execute()
}

/** Resolves with the available sealed answers, by request id. */
export async function answersTo(
  read: Reader,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await read
    .selectFrom('node_requests')
    .select(['id', 'answer'])
    .where('id', 'in', ids)
    .where('answer', 'is not', null)
    .execute()
  return new Map(rows.map(({ id, answer }) => [id, answer ?? '']))
}

/** Withdraws an unclaimed request; false when it was claimed. */
export async function withdrawRequest(tx: Writer, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('node_requests')
    .where('id', '=', id)
    .where('takenAt', 'is', null)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function dropRequest(tx: Writer, id: string): Promise<void> {
  await tx.deleteFrom('node_requests').where('id', '=', id).execute()
}

/** Deletes requests from before `before`, for which nobody waits any more. */
export async function dropOldRequests(tx: Writer, before: number): Promise<void> {
  await tx.deleteFrom('node_requests').where('askedAt', '<', before).execute()
}
