/** The Queues resource and its members: forms, operations and wire form. */
import { z } from '@hono/zod-openapi'
import { lastOf } from '../../platform/api/repeated.js'
import { isWebUrl } from '../../platform/http/web-url.js'
import type { Calls } from '../calls/calls.js'
import type { QueueRequest } from '../markup/queue-entry.js'
import { CallNotFoundError, CallNotInProgressError } from '../model/call-errors.js'
import type { UrlDocument } from '../model/call-plan.js'
import { API_VERSION, rfc2822 } from '../model/callback-params.js'
import { QueueMemberNotFoundError } from '../queues/queue-errors.js'
import type { MemberView, Queues, QueueView } from '../queues/queues.js'
import { ApiError } from './dialect/errors.js'
import { httpMethod, integer, optionalText } from './dialect/form.js'
import { list, operation, said, sid, type VoiceOperation } from './dialect/operation.js'
import { oldestFirst, pageOfAll, positionOf } from './dialect/voice-paging.js'

const QUEUES = '/Accounts/{AccountSid}/Queues'
const QUEUE = `${QUEUES}/{Sid}`
const MEMBERS = `${QUEUES}/{QueueSid}/Members`
const MEMBER = `${MEMBERS}/{CallSid}`

const MAX_NAME = 64
const MAX_SIZE = 5_000
/** Size of a queue made by the API (documented); a queue made by Enqueue is smaller. */
const DEFAULT_SIZE = 1_000
/** A queue name. Documents match it exactly, so it has no space at either end. */
const NAME = /^(?=\S)[^\0\r\n\t]*(?<=\S)$/u

/**
 * Replaces the document of a live call; rejects with CallNotFoundError or CallNotInProgressError.
 */
interface DocumentChanger {
  update(
    accountSid: string,
    sid: string,
    change: { readonly document: UrlDocument },
  ): Promise<unknown>
}

const friendlyName = () => optionalText(NAME, 'must be one line without space around it', MAX_NAME)
const maxSize = () => integer(1, MAX_SIZE)

const createQueueForm = z
  .object({ FriendlyName: friendlyName(), MaxSize: maxSize() })
  .openapi('CreateQueue', { required: ['FriendlyName'] })

const updateQueueForm = z
  .object({ FriendlyName: friendlyName(), MaxSize: maxSize() })
  .openapi('UpdateQueue')

const dequeueForm = z
  .object({
    Url: z.preprocess(
      lastOf,
      z.string().max(4_000).refine(isWebUrl, 'must be an absolute http or https URL'),
    ),
    Method: httpMethod(),
  })
  .openapi('DequeueMember')

const fieldErrors = {
  FriendlyName: { invalid: 20002 },
  Url: { invalid: 21205 },
  Method: { invalid: 21209 },
}

const queueResource = z
  .object({
    sid: said('The sid of the queue: QU and 32 hex digits.'),
    account_sid: said('The sid of its account.'),
    friendly_name: said('The name that markup enqueues by.'),
    current_size: z.number().int().openapi({ description: 'How many callers wait.' }),
    max_size: z.number().int().openapi({ description: 'How many callers may wait.' }),
    average_wait_time: z
      .number()
      .int()
      .openapi({ description: 'How long the callers have waited on average, in seconds.' }),
    date_created: said('When it was made, as in RFC 2822.'),
    date_updated: said('When it changed last, as in RFC 2822.'),
    uri: said('Its path.'),
    subresource_uris: z
      .record(z.string(), z.string())
      .openapi({ description: 'The paths of what belongs to it.' }),
  })
  .openapi('Queue')

const memberResource = z
  .object({
    call_sid: said('The sid of the call that waits.'),
    queue_sid: said('The sid of the queue.'),
    date_enqueued: said('When it began to wait, as in RFC 2822.'),
    position: z.number().int().openapi({ description: 'Its place in the queue, from 1.' }),
    wait_time: z.number().int().openapi({ description: 'How long it has waited, in seconds.' }),
    uri: said('Its path.'),
  })
  .openapi('QueueMember')

interface QueueDeps {
  readonly queues: Queues
  readonly calls: Calls
}

export function queueOperations({ queues, calls }: QueueDeps): VoiceOperation[] {
  return [...queuesOfAccount(queues), ...oneQueue(queues), ...members({ queues, calls })]
}

function queuesOfAccount(queues: Queues): VoiceOperation[] {
  return [
    operation({
      id: 'createQueue',
      summary: 'Create a queue',
      method: 'post',
      path: QUEUES,
      body: createQueueForm,
      fieldErrors,
      status: 201,
      response: queueResource,
      run: async ({ caller, body: { FriendlyName: name, MaxSize: size = DEFAULT_SIZE } }) => {
        if (name === undefined)
          throw new ApiError(400, 20002, "Required parameter 'FriendlyName' is missing")
        return queueToWire(await queues.create(caller.sid, name, size))
      },
    }),
    list({
      id: 'listQueues',
      summary: 'List queues, the newest first',
      path: QUEUES,
      name: 'queues',
      record: queueResource,
      run: async ({ caller }, page) => {
        const found = await queues.list(caller.sid, page)
        return {
          ...found,
          items: found.items.map(queueToWire),
          first: positionOf(found.items[0]?.record),
          path: `/${API_VERSION}/Accounts/${caller.sid}/Queues`,
        }
      },
    }),
  ]
}

function oneQueue(queues: Queues): VoiceOperation[] {
  const params = { Sid: sid('QU', 'queue') }
  return [
    operation({
      id: 'fetchQueue',
      summary: 'Get a queue',
      method: 'get',
      path: QUEUE,
      params,
      response: queueResource,
      errors: [404],
      run: async ({ caller, params: { Sid } }) => queueToWire(await queues.fetch(caller.sid, Sid)),
    }),
    operation({
      id: 'updateQueue',
      summary: 'Change the name or the size of a queue',
      method: 'post',
      path: QUEUE,
      params,
      body: updateQueueForm,
      fieldErrors,
      response: queueResource,
      errors: [404],
      run: async ({ caller, params: { Sid }, body }) => {
        const change = { friendlyName: body.FriendlyName, maxSize: body.MaxSize }
        return queueToWire(await queues.update(caller.sid, Sid, change))
      },
    }),
    operation({
      id: 'deleteQueue',
      summary: 'Delete an empty queue',
      method: 'delete',
      path: QUEUE,
      params,
      errors: [404, 409],
      run: ({ caller, params: { Sid } }) => queues.remove(caller.sid, Sid),
    }),
  ]
}

function members({ queues, calls }: QueueDeps): VoiceOperation[] {
  const params = {
    CallSid: z.string().openapi({
      description: 'The sid of a waiting call, or Front for the caller with the longest wait.',
    }),
  }
  return [
    list({
      id: 'listQueueMembers',
      summary: 'List the callers in a queue, the longest wait first',
      path: MEMBERS,
      name: 'queue_members',
      record: memberResource,
      errors: [404],
      run: async ({ caller, params: { QueueSid } }, page) => {
        const all = await queues.members(caller.sid, QueueSid)
        const where = ({ enqueuedAt, callSid }: MemberView) => ({ at: enqueuedAt, sid: callSid })
        const { items, ...rest } = pageOfAll(all, page, where, oldestFirst)
        const path = `/${API_VERSION}/Accounts/${caller.sid}/Queues/${QueueSid}/Members`
        return { ...rest, items: items.map(memberToWire), path }
      },
    }),
    operation({
      id: 'fetchQueueMember',
      summary: 'Get a caller in a queue',
      method: 'get',
      path: MEMBER,
      params,
      response: memberResource,
      errors: [404],
      run: async ({ caller, params: { QueueSid, CallSid } }) =>
        memberToWire(await queues.member(caller.sid, QueueSid, CallSid)),
    }),
    operation({
      id: 'dequeueMember',
      summary: 'Take a caller from a queue to a document',
      method: 'post',
      path: MEMBER,
      params,
      body: dequeueForm,
      fieldErrors,
      response: memberResource,
      errors: [404],
      run: async ({ caller, params: { QueueSid, CallSid }, body }) => {
        const document = { url: body.Url, method: body.Method ?? 'POST' } as const
        const wanted = { accountSid: caller.sid, queueSid: QueueSid, which: CallSid, document }
        return memberToWire(await dequeue(wanted, queues, calls))
      },
    }),
  ]
}

/**
 * Moves a queued caller to another document. Rejects with QueueMemberNotFoundError when the caller
 * is not in the queue, or was dequeued meanwhile.
 */
async function dequeue(
  wanted: {
    readonly accountSid: string
    readonly queueSid: string
    /** The caller's call sid, or `Front` for the caller who waited longest. */
    readonly which: string
    readonly document: QueueRequest
  },
  queues: Pick<Queues, 'call'>,
  calls: DocumentChanger,
): Promise<MemberView> {
  const { accountSid, queueSid, which, document } = wanted
  const called = await queues.call(accountSid, queueSid, which)
  try {
    await calls.update(accountSid, called.callSid, {
      document: { type: 'url', ...document, fallbackMethod: 'POST' },
    })
  } catch (error) {
    called.giveBack()
    if (error instanceof CallNotInProgressError || error instanceof CallNotFoundError)
      throw new QueueMemberNotFoundError(`${called.callSid} has left the queue ${queueSid}`)
    throw error
  }
  return called
}

function queueToWire({ record, size, averageMs }: QueueView): z.infer<typeof queueResource> {
  const { sid, accountSid } = record
  const path = pathOf(accountSid, sid)
  return {
    sid,
    account_sid: accountSid,
    friendly_name: record.friendlyName,
    current_size: size,
    max_size: record.maxSize,
    average_wait_time: Math.round(averageMs / 1_000),
    date_created: rfc2822(new Date(record.createdAt)),
    date_updated: rfc2822(new Date(record.updatedAt)),
    uri: `${path}.json`,
    subresource_uris: { members: `${path}/Members.json` },
  }
}

function memberToWire(member: MemberView): z.infer<typeof memberResource> {
  const { accountSid, queueSid, callSid } = member
  return {
    call_sid: callSid,
    queue_sid: queueSid,
    date_enqueued: rfc2822(new Date(member.enqueuedAt)),
    position: member.position,
    wait_time: Math.round(member.waitedMs / 1_000),
    uri: `${pathOf(accountSid, queueSid)}/Members/${callSid}.json`,
  }
}

function pathOf(accountSid: string, queueSid: string): string {
  return `/${API_VERSION}/Accounts/${accountSid}/Queues/${queueSid}`
}
