import { existsSync, readdirSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createOutbound, type Outbound } from '../../../src/platform/http/outbound.js'
import { OutboundError } from '../../../src/platform/http/outbound-error.js'
import { createLogger } from '../../../src/platform/log.js'
import { imageSize } from '../../../src/registry/rules/asset.js'
import { fetchAsset } from '../../../src/registry/services/files/assets.js'
import { HttpSink, type SinkAnswer } from '../../support/http/http-sink.js'
import { tlsFixture } from '../../support/http/tls-fixtures.js'
import {
  type Answer,
  type RegistryFixture,
  registryFixture,
} from '../../support/registry/registry-fixture.js'
import { privateBrand } from '../../support/registry/registry-samples.js'

const tls = tlsFixture('good')

let sink: HttpSink
let outbound: Outbound
let fixture: RegistryFixture
let path: string
beforeEach(async () => {
  sink = await HttpSink.start(tls)
  outbound = createOutbound({
    policy: { mode: 'allow-private', allow: [] },
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    log: createLogger('silent'),
    resolve: () => Promise.resolve(['127.0.0.1']),
    ca: tls.cert,
  })
  fixture = await registryFixture({ outbound })
  path = `/brand/${(await fixture.call('POST', '/brand', privateBrand)).body.brandId}/asset`
})
afterEach(async () => {
  await fixture[Symbol.asyncDispose]()
  await outbound[Symbol.asyncDispose]()
  await sink[Symbol.asyncDispose]()
})

/** The beginning of a PNG, which says how big it is. */
function png(width: number, height: number, bytes = 100): Buffer {
  const image = Buffer.alloc(bytes)
  Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').copy(image)
  image.writeUInt32BE(width, 16)
  image.writeUInt32BE(height, 20)
  return image
}

function jpeg(width: number, height: number): Buffer {
  const frame = Buffer.from('ffc0001108000000000301220002110103110100', 'hex')
  frame.writeUInt16BE(height, 5)
  frame.writeUInt16BE(width, 7)
  return Buffer.concat([Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'), frame])
}

const assetUrl = () => `https://sink.test:${new URL(sink.url).port}/logo`
const wanted = () => ({ assetName: 'Logo', assetType: 'LOGO', assetUrl: assetUrl() })
const add = (change: object = {}) => fixture.call('POST', path, { ...wanted(), ...change })
async function operator(method: string, target: string, body: object): Promise<void> {
  const init = { method, body: JSON.stringify(body) }
  expect((await fixture.operator.request(target, init)).status).toBeLessThan(300)
}
async function enable(): Promise<void> {
  const { cspId } = (await fixture.call('GET', '/csp/profile')).body
  await operator('PATCH', `/csps/${cspId}`, { rcsEnabled: true })
}
const filesOnDisk = (): string[] => {
  const folder = `${fixture.folder}/registry/assets`
  return existsSync(folder) ? readdirSync(folder) : []
}

describe('an asset', () => {
  it('is not kept for a brand that is deleted while it is fetched', async () => {
    await enable()
    const deleted: number[] = []
    const remove = async () => {
      deleted.push((await fixture.call('DELETE', path.replace('/asset', ''))).status)
    }
    sink.script(() => ({ body: png(224, 224), after: remove() }))
    expect(await add()).toMatchObject({ status: 400, body: [{ code: 502, fields: ['brandId'] }] })
    expect(deleted).toEqual([204])
    expect(filesOnDisk()).toEqual([])
  })

  it('is fetched, listed, read and deleted', async () => {
    await enable()
    const image = png(224, 224)
    sink.script(() => ({ body: image }))
    const added = await add()
    expect(added).toMatchObject({
      status: 200,
      body: { ...wanted(), mimeType: 'image/png', status: 'ACTIVE', explanation: null },
    })
    const one = `${path}/${String(added.body['assetId'])}`
    expect((await fixture.call('GET', path)).body).toEqual([added.body])
    expect((await fixture.call('GET', one)).body).toEqual(added.body)
    const file = await fixture.app.request(`/v2/csp${one}/file`, {
      headers: { authorization: `Bearer ${fixture.account.secret}` },
    })
    expect(Buffer.from(await file.arrayBuffer())).toEqual(image)
    const other = await fixture.another('Other')
    expect((await fixture.call('GET', one, undefined, other)).body).toMatchObject([{ code: 502 }])
    expect((await fixture.call('DELETE', one)).status).toBe(204)
    expect((await fixture.call('GET', one)).body).toMatchObject([
      { code: 502, fields: ['assetId'] },
    ])
    expect(filesOnDisk()).toEqual([])
  })

  it.each<[string, object, SinkAnswer, number, string]>([
    ['a name with a path', { assetName: '../x' }, {}, 572, 'assetName'],
    ['no name', { assetName: '' }, {}, 572, 'assetName'],
    ['an unknown type', { assetType: 'constructor' }, {}, 566, 'assetType'],
    ['a plain http URL', { assetUrl: 'http://sink.test/x' }, {}, 573, 'assetUrl'],
    ['no URL', { assetUrl: 'logo.png' }, {}, 573, 'assetUrl'],
    ['a redirect', {}, { status: 302, headers: { location: 'https://x.test/' } }, 575, 'assetUrl'],
    ['a 404', {}, { status: 404 }, 566, 'assetUrl'],
    ['no answer', {}, { drop: true }, 566, 'assetUrl'],
    ['an image of another size', {}, { body: png(223, 224) }, 547, 'assetUrl'],
    ['another kind of image', {}, { body: 'GIF89a' }, 546, 'assetUrl'],
    ['half an image', {}, { body: png(1, 1).subarray(0, 20) }, 566, 'assetUrl'],
    ['too many bytes', {}, { body: png(224, 224, 60_000) }, 544, 'assetUrl'],
  ])('with %s is refused and leaves nothing', async (_title, change, answer, code, field) => {
    await enable()
    sink.script(() => answer)
    expect((await add(change)).body).toMatchObject([{ code, fields: [field] }])
    expect((await fixture.call('GET', path)).body).toEqual([])
    expect(filesOnDisk()).toEqual([])
  })

  it('has a name of its own, and needs RCS', async () => {
    sink.script(() => ({ body: jpeg(224, 224) }))
    expect((await add()).body).toMatchObject([{ code: 568, fields: [] }])
    await enable()
    expect((await add()).body).toMatchObject({ mimeType: 'image/jpeg' })
    const before = sink.requests.length
    expect((await add({ assetName: 'logo' })).body).toMatchObject([
      { code: 503, fields: ['assetName'] },
    ])
    expect(sink.requests).toHaveLength(before)
  })

  it('that was rejected is appealed against', async () => {
    await enable()
    sink.script(() => ({ body: png(1440, 448) }))
    const { assetId } = (await add({ assetType: 'HERO' })).body
    const one = `${path}/${String(assetId)}`
    const appeal = (category: string): Promise<Answer> =>
      fixture.call('POST', `${one}/appeal`, { appealCategories: [category] })
    expect((await appeal('DIMENSIONS')).body).toMatchObject([{ code: 566, fields: ['assetId'] }])
    const rejected = { status: 'REJECTED', explanation: 'blurred' }
    await operator('PUT', `/assets/${String(assetId)}`, rejected)
    expect((await fixture.call('GET', one)).body).toMatchObject(rejected)
    expect((await appeal('FUN')).body).toMatchObject([{ code: 559, fields: ['appealCategories'] }])
    expect((await appeal('DIMENSIONS')).body).toMatchObject([{ appealStatus: 'PENDING' }])
    expect((await appeal('DIMENSIONS')).body).toMatchObject([{ code: 592 }])
    await operator('PUT', `/assets/${String(assetId)}`, { status: 'ACTIVE' })
    expect((await fixture.call('GET', `${one}/appeal`)).body).toMatchObject([
      { appealStatus: 'COMPLETE' },
    ])
  })
})

describe('fetching', () => {
  it.each([
    ['connect-timeout', 574],
    ['response-timeout', 574],
    ['total-timeout', 574],
    ['blocked-address', 573],
    ['too-large', 544],
    ['tls-expired', 566],
  ] as const)('that ends with %s is %i', async (kind, code) => {
    const request = () => Promise.reject(new OutboundError(kind, 'https://x.test/'))
    const failing: Outbound = { ...outbound, request }
    const fetched = fetchAsset(failing, 'https://x.test/', 1, AbortSignal.timeout(10_000))
    await expect(fetched).rejects.toMatchObject({ problems: [{ code, fields: ['assetUrl'] }] })
  })
})

describe('the dimensions of an image', () => {
  it.each<[string, Buffer, unknown]>([
    ['PNG', png(3, 4), { mimeType: 'image/png', width: 3, height: 4 }],
    ['JPEG', jpeg(3, 4), { mimeType: 'image/jpeg', width: 3, height: 4 }],
    ['a JPEG without a frame', jpeg(3, 4).subarray(0, 22), 'broken'],
    ['a JPEG of markers without end', Buffer.alloc(100, Buffer.from('ffd8ff01', 'hex')), 'broken'],
    ['a GIF', Buffer.from('GIF89a'), undefined],
    ['nothing', Buffer.alloc(0), undefined],
  ])('%s', (_title, bytes, expected) => {
    expect(imageSize(bytes)).toEqual(expected)
  })
})
