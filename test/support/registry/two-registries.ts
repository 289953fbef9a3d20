import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import type { Account } from '../../../src/accounts/accounts.js'
import type { RegistryDeps } from '../../../src/registry/registry.js'
import { type RegistryFixture, registryFixture } from './registry-fixture.js'
import { campaign, privateBrand } from './registry-samples.js'

/** A request from our registry to the upstream registry. */
export interface SentUp {
  readonly method: string
  /** Path below /v2/csp, with the query. */
  readonly path: string
}

/** A registry and its upstream registry, which has a partner that accepts or declines. */
export interface TwoRegistries extends AsyncDisposable {
  readonly above: RegistryFixture
  readonly ours: RegistryFixture
  /** The upstream partner that campaigns are shared with. */
  readonly decider: Account
  /** Settings with which another process of ours reaches the upstream registry. */
  readonly upstream: RegistryDeps['upstream']
  /** False while requests to the upstream registry are answered with 503. */
  isAboveUp: boolean
  /**
   * Answers a request instead of the upstream registry, or after it; undefined: the upstream registry answers.
   */
  answer: ((request: Request, sent: SentUp) => Promise<Response | undefined>) | undefined
  /** Requests that changed something upstream or tried to, oldest first. */
  readonly written: readonly SentUp[]
  /** Runs everything that is due in both registries within the next ten minutes. */
  readonly goOn: () => Promise<void>
}

export async function twoRegistries(): Promise<TwoRegistries> {
  const above = await registryFixture()
  const decider = await above.another('Partner above')
  const { cspId } = (await above.call('GET', '/csp/profile', undefined, decider)).body
  const written: SentUp[] = []
  const fetch = async (request: Request): Promise<Response> => {
    if (!two.isAboveUp) return new Response('down', { status: 503 })
    const { pathname, search } = new URL(request.url)
    const sent = { method: request.method, path: pathname.replace('/v2/csp', '') + search }
    if (sent.method !== 'GET') written.push(sent)
    return (await two.answer?.(request, sent)) ?? (await above.app.fetch(request))
  }
  // Without options it creates a plain HTTP server.
  const server = serve({ fetch, port: 0, hostname: '127.0.0.1' }) as Server
  if (!server.listening) await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a TCP server has one
  const upstream = {
    baseUrl: `http://127.0.0.1:${port}/v2/csp`,
    key: above.account.secret,
    cnpId: 'ABOVE',
    displayName: 'The registry above',
    shareWith: cspId,
  }
  const ours = await registryFixture({ upstream })
  const two: TwoRegistries = {
    above,
    ours,
    decider,
    upstream,
    isAboveUp: true,
    answer: undefined,
    written,
    goOn: async () => {
      await above.registry.settle()
      await ours.turn(600_000)
      await above.registry.settle()
    },
    [Symbol.asyncDispose]: async () => {
      await ours[Symbol.asyncDispose]()
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
      await above[Symbol.asyncDispose]()
    },
  }
  return two
}

/** A campaign of ours that the upstream registry carries, and its brand. */
export interface CarriedCampaign {
  readonly brandId: string
  readonly campaignId: string
  /** Their ids in the upstream registry. */
  readonly brandThere: string
  readonly there: string
}

/** Registers a brand and a campaign, and shares the campaign upstream; the partner has not decided yet. */
export async function shareUp({ ours, above, goOn }: TwoRegistries): Promise<CarriedCampaign> {
  const { brandId } = (await ours.call('POST', '/brand', privateBrand)).body
  await ours.registry.settle()
  const { campaignId } = (await ours.call('POST', '/campaignBuilder', { ...campaign, brandId }))
    .body
  await ours.call('PUT', `/campaign/${campaignId}/sharing/ABOVE`)
  for (let times = 0; times < 3; times += 1) await goOn()
  const { records } = (await above.call('GET', `/campaign?referenceId=${campaignId}`)).body
  const { campaignId: there = '', brandId: brandThere = '' } = records[0] ?? {}
  return { brandId, campaignId, brandThere, there }
}

/** Shares a campaign like `shareUp`; the upstream partner accepts it. */
export async function carriedCampaign(two: TwoRegistries): Promise<CarriedCampaign> {
  const carried = await shareUp(two)
  const path = `/partnerCampaign/${carried.there}/sharing/NORTH`
  await two.above.call('PUT', path, {}, two.decider)
  await two.goOn()
  return carried
}

/** Requests that changed something upstream or tried to, oldest first. */
export function sentUp({ written }: TwoRegistries, method: string, path: string): SentUp[] {
  return written.filter((sent) => sent.method === method && sent.path.startsWith(path))
}

/** Loses the answer to the first matching request, although the upstream registry executes it. */
export function loseAnswerOf(two: TwoRegistries, method: string, path: string): void {
  let isLost = false
  two.answer = async (request, sent) => {
    if (isLost || sent.method !== method || !sent.path.startsWith(path)) return undefined
    isLost = true
    await two.above.app.fetch(request)
    return new Response('lost', { status: 502 })
  }
}
