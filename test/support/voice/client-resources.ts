import twilio from 'twilio'
import type { Exchange } from './resource-shapes.js'

type Client = ReturnType<typeof twilio>

/** Resources that a run of a client library needs on the server. */
export interface GivenResources {
  /** A number of another account, and an unverified one. */
  readonly claimed: string
  readonly unverified: string
  readonly call: string
  readonly recording: string
}

export interface ClientRun {
  /** Number of records in the lists of several pages. */
  readonly counts: Readonly<Record<string, unknown>>
  readonly exchanges: readonly Exchange[]
}

interface Credentials {
  readonly sid: string
  readonly secret: string
}

/** The convention's Node client, recording every exchange. */
export function recordingClient(http: string, { sid, secret }: Credentials) {
  const exchanges: Exchange[] = []
  class ToTrunkline extends twilio.RequestClient {
    override async request<Data>(
      options: Parameters<typeof twilio.RequestClient.prototype.request<Data>>[0],
    ) {
      const answer = await super.request<Data>(options)
      const { pathname, search } = new URL(options.uri)
      const { statusCode: status, body } = answer
      exchanges.push({ method: options.method, target: pathname + search, status, body })
      return answer
    }
  }
  const client = twilio(sid, secret, { httpClient: new ToTrunkline() })
  client.api.baseUrl = http
  client.routes.baseUrl = http
  return { client, exchanges }
}

const status = (error: unknown): unknown => (error as { status?: number }).status

async function refused(work: Promise<unknown>): Promise<void> {
  const answer = await work.then(() => 'it was not refused', status)
  if (typeof answer !== 'number') throw new Error(String(answer))
}

/** The lists of a resource; overloads differ by type. */
interface Listing {
  list(options?: { pageSize?: number }): Promise<readonly { sid: string }[]>
}

/** Creates three, lists them page by page, changes one and removes all; resolves with the number listed. */
async function life(
  collection: Listing,
  create: (index: number) => Promise<{ sid: string }>,
  one: (sid: string) => {
    fetch(): Promise<unknown>
    remove(): Promise<boolean>
    change(): Promise<unknown>
  },
): Promise<number> {
  const made: string[] = []
  for (let index = 0; index < 3; index += 1) made.push((await create(index)).sid)
  const listed = (await collection.list({ pageSize: 2 })).length
  const [first = ''] = made
  await one(first).change()
  await one(first).fetch()
  for (const sid of made) await one(sid).remove()
  await refused(one(first).fetch())
  if ((await collection.list()).length > 0) throw new Error('something is left')
  return listed
}

/** Exercises every resource with the Node client, like `client-resources.py` with the Python client. */
export async function useResources(
  http: string,
  account: Credentials,
  given: GivenResources,
): Promise<ClientRun> {
  const { client, exchanges } = recordingClient(http, account)
  const self = client.api.accounts(account.sid)
  await self.fetch()
  await self.update({ friendlyName: 'node' })
  await client.balance.fetch()
  const counts = {
    ...(await useNumbers(client, given)),
    ...(await useApplicationsAndKeys(client)),
    'caller ids': await useCallerIds(client, given),
    transcriptions: await useTexts(client, given),
  }
  return { counts, exchanges }
}

async function useNumbers(client: Client, { claimed }: GivenResources) {
  const stock = client.availablePhoneNumbers
  const countries = (await stock.list()).length
  await stock('US').fetch()
  await refused(stock('FR').fetch())
  const free = await stock('US').local.list({ pageSize: 2 })
  const tollFree = await stock('US').tollFree.list({ contains: '800555' })
  const mobile = await stock('US').mobile.list()
  const numbers = client.incomingPhoneNumbers
  const phoneNumber = (index: number) => free[index]?.phoneNumber ?? ''
  const listed = await life(
    numbers,
    (index) => numbers.create({ phoneNumber: phoneNumber(index) }),
    (sid) => ({
      fetch: () => numbers(sid).fetch(),
      remove: () => numbers(sid).remove(),
      change: () => numbers(sid).update({ voiceUrl: 'https://app.test/voice' }),
    }),
  )
  await refused(numbers.create({ phoneNumber: claimed }))
  for (const kind of [numbers.local, numbers.tollFree, numbers.mobile]) {
    const { sid } = await kind.create({ phoneNumber: phoneNumber(0) })
    await (kind as Listing).list()
    await numbers(sid).remove()
  }
  return {
    countries,
    free: free.length,
    'toll-free': tollFree.length,
    'free mobile': mobile.length,
    numbers: listed,
  }
}

async function useApplicationsAndKeys(client: Client) {
  const { applications, keys, signingKeys } = client
  const friendlyName = 'renamed'
  const made = await life(
    applications,
    (index) => applications.create({ friendlyName: `node ${index}` }),
    (sid) => ({
      fetch: () => applications(sid).fetch(),
      remove: () => applications(sid).remove(),
      change: () =>
        applications(sid).update({
          statusCallback: 'https://app.test/status',
          voiceMethod: 'GET',
        }),
    }),
  )
  const ofKeys = await life(
    keys,
    () => client.newKeys.create(),
    (sid) => ({
      fetch: () => keys(sid).fetch(),
      remove: () => keys(sid).remove(),
      change: () => keys(sid).update({ friendlyName }),
    }),
  )
  const ofSigningKeys = await life(
    signingKeys,
    () => client.newSigningKeys.create({ friendlyName: 'node' }),
    (sid) => ({
      fetch: () => signingKeys(sid).fetch(),
      remove: () => signingKeys(sid).remove(),
      change: () => signingKeys(sid).update({ friendlyName }),
    }),
  )
  return { applications: made, keys: ofKeys, 'signing keys': ofSigningKeys }
}

async function useCallerIds(client: Client, given: GivenResources): Promise<number> {
  await client.validationRequests.create({ phoneNumber: given.unverified })
  const { outgoingCallerIds } = client
  const verified = await outgoingCallerIds.list({ pageSize: 2 })
  const one = outgoingCallerIds(verified[0]?.sid ?? '')
  await one.update({ friendlyName: 'renamed' })
  await one.fetch()
  await one.remove()
  await refused(one.fetch())
  return verified.length
}

async function useTexts(client: Client, given: GivenResources): Promise<readonly number[]> {
  const nothing = `NO${'0'.repeat(32)}`
  for (const { notifications } of [client, client.calls(given.call)]) {
    await (notifications as Listing).list()
    await refused(notifications(nothing).fetch())
  }
  const counts: number[] = []
  for (const owner of [client, client.recordings(given.recording)]) {
    // Operations of both owners have the same answers, but different types.
    const transcriptions = owner.transcriptions as typeof client.transcriptions
    const found = await transcriptions.list({ pageSize: 2 })
    counts.push(found.length)
    const one = transcriptions(found[0]?.sid ?? '')
    await one.fetch()
    await one.remove()
    await refused(one.fetch())
  }
  return counts
}
