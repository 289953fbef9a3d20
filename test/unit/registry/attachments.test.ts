import { existsSync, readdirSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadTables } from '../../../src/registry/data/tables.js'
import { checkFile } from '../../../src/registry/rules/file-type.js'
import { type RegistryFixture, registryFixture } from '../../support/registry-fixture.js'
import { campaign, privateBrand } from '../../support/registry-samples.js'

const MAX = loadTables().limits.maxAttachmentBytes
const png = Buffer.from('89504e470d0a1a0a0000', 'hex')
let fixture: RegistryFixture
let path: string
beforeEach(async () => {
  fixture = await registryFixture()
  const { brandId } = (await fixture.call('POST', '/brand', privateBrand)).body
  await fixture.registry.settle()
  const created = await fixture.call('POST', '/campaignBuilder', { ...campaign, brandId })
  path = `/campaign/${created.body.campaignId}`
})
afterEach(() => fixture[Symbol.asyncDispose]())

const filesOnDisk = (): string[] => {
  const folder = `${fixture.folder}/registry/attachments`
  return existsSync(folder) ? readdirSync(folder) : []
}
const raw = async (contentType: string, body: string) => {
  const response = await fixture.app.request(`/v2/csp${path}/mms`, {
    method: 'POST',
    headers: { authorization: `Bearer ${fixture.account.secret}`, 'content-type': contentType },
    body,
  })
  return { status: response.status, body: await response.json() }
}

describe('an attachment', () => {
  it.each(['mms', 'supportingDocument'])('of %s is listed, read and deleted', async (kind) => {
    const added = await fixture.upload(`${path}/${kind}`, 'logo.png', png)
    expect(added).toMatchObject({
      status: 200,
      body: { fileName: 'logo.png', mimeType: 'image/png' },
    })
    expect((await fixture.call('GET', `${path}/${kind}`)).body).toEqual([added.body])
    const file = await fixture.app.request(`/v2/csp/attachment/${added.body.uuid}`, {
      headers: { authorization: `Bearer ${fixture.account.secret}` },
    })
    expect(Buffer.from(await file.arrayBuffer())).toEqual(png)
    expect(file.headers.get('content-disposition')).toContain('attachment')
    const other = await fixture.another('Other')
    const stolen = await fixture.call('GET', `/attachment/${added.body.uuid}`, undefined, other)
    expect(stolen.body).toMatchObject([{ code: 502 }])
    expect((await fixture.call('DELETE', `/attachment/${added.body.uuid}`)).status).toBe(204)
    expect(filesOnDisk()).toEqual([])
  })

  it.each<[string, string, Buffer, number]>([
    ['a type that is not allowed', 'run.exe', Buffer.from('MZ'), 546],
    ['a type that lies', 'logo.png', Buffer.from('hello'), 546],
    ['10 MB and one byte', 'a.txt', Buffer.alloc(MAX + 1, 'a'), 544],
    ['far more than allowed', 'a.txt', Buffer.alloc(MAX + 200_000, 'a'), 544],
    ['nothing in it', 'a.txt', Buffer.alloc(0), 546],
    ['a path in its name', '../../etc/a.txt', Buffer.from('a'), 501],
    ['a Windows path in its name', 'C:\\a.txt', Buffer.from('a'), 501],
    ['a name from Object.prototype', 'a.constructor', Buffer.from('a'), 546],
  ])('with %s is refused and leaves nothing', async (_title, name, content, code) => {
    expect(await fixture.upload(`${path}/mms`, name, content)).toMatchObject({
      status: 400,
      body: [{ code, fields: ['file'] }],
    })
    expect(filesOnDisk()).toEqual([])
  })

  it('of exactly 10 MB is taken', async () => {
    const content = Buffer.alloc(MAX, 'a')
    expect((await fixture.upload(`${path}/mms`, 'a.txt', content)).status).toBe(200)
  })

  it.each<[string, string, string]>([
    ['no multipart', 'application/json', '{}'],
    ['no boundary', 'multipart/form-data', ''],
    ['nothing', 'multipart/form-data; boundary=x', ''],
    [
      'no end',
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nabc',
    ],
    ['no headers', 'multipart/form-data; boundary=x', '--x\r\nabc\r\n--x--\r\n'],
    [
      'another name',
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\n\r\nabc\r\n--x--\r\n',
    ],
  ])('in a broken body (%s) is refused and leaves nothing', async (_title, type, body) => {
    expect(await raw(type, body)).toMatchObject({
      status: 400,
      body: [{ code: 501, fields: ['file'] }],
    })
    expect(filesOnDisk()).toEqual([])
  })
})

describe('the types of files', () => {
  it.each<['mms' | 'document', string, string | Buffer, boolean]>([
    ['mms', 'a.gif', 'GIF89a', true],
    ['mms', 'a.jpg', Buffer.from('ffd8ffe0', 'hex'), true],
    ['mms', 'a.mp3', 'ID3', true],
    ['mms', 'a.mp4', '\0\0\0 ftypisom', true],
    ['mms', 'a.ogg', 'OggS', true],
    ['mms', 'a.wav', 'RIFF\0\0\0\0WAVE', true],
    ['mms', 'a.webm', Buffer.from('1a45dfa3', 'hex'), true],
    ['mms', 'a.bmp', 'BM', true],
    ['mms', 'a.pdf', '%PDF-1.7', false],
    ['document', 'a.pdf', '%PDF-1.7', true],
    ['document', 'a.rtf', '{\\rtf1', true],
    ['document', 'a.xml', '<a/>', true],
    ['document', 'a.docx', 'PK\x03\x04', true],
    ['document', 'a.tiff', 'II*\0', true],
    ['document', 'a.raw', 'MZ', false],
    ['document', 'a.gif', 'GIF89a', false],
  ])('%s %s', (kind, name, content, isAllowed) => {
    const bytes = typeof content === 'string' ? Buffer.from(content, 'latin1') : content
    expect(checkFile(kind, name, bytes).problems).toHaveLength(isAllowed ? 0 : 1)
  })
})
