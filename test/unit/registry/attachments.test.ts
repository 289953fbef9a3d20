import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sampleOf } from '../../../src/platform/uploads/file-sample.js'
import { loadTables } from '../../../src/registry/data/tables.js'
import { createRegistryUploads } from '../../../src/registry/routes/dialect/read-upload.js'
import { checkFile } from '../../../src/registry/rules/file-type.js'
import { tempFolder } from '../../support/process/temp-folder.js'
import { type RegistryFixture, registryFixture } from '../../support/registry/registry-fixture.js'
import { campaign, privateBrand } from '../../support/registry/registry-samples.js'
import { waitUntil } from '../../support/time/wait-until.js'

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

const filesOnDisk = (): string[] =>
  ['attachments', 'uploads'].flatMap((name) => {
    const folder = `${fixture.folder}/registry/${name}`
    return existsSync(folder) ? readdirSync(folder) : []
  })
const raw = async (contentType: string, body: string) => {
  const response = await fixture.app.request(`/v2/csp${path}/mms`, {
    method: 'POST',
    headers: { authorization: `Bearer ${fixture.account.secret}`, 'content-type': contentType },
    body,
  })
  return { status: response.status, body: await response.json() }
}

describe('a file that a killed process left without a row', () => {
  it('is removed by the next one, and no other', async () => {
    const { uuid } = (await fixture.upload(`${path}/mms`, 'logo.png', png)).body
    const folder = `${fixture.folder}/registry/attachments`
    writeFileSync(`${folder}/${randomUUID()}`, png)
    writeFileSync(`${folder}/notes.txt`, 'somebody else’s')
    await using next = await registryFixture({ folder: fixture.folder })
    expect(next.folder).toBe(fixture.folder)
    expect(readdirSync(folder).sort()).toEqual([uuid, 'notes.txt'].sort())
  })
})

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

describe('an upload', () => {
  const target = () => `http://trunkline.test/v2/csp${path}/mms`
  const head = (name: string) =>
    Buffer.from(`--x\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`)
  /** A body that comes chunk by chunk, each when it is asked for. */
  const post = (chunks: AsyncGenerator<Uint8Array>) =>
    fixture.app.request(
      new Request(target(), {
        method: 'POST',
        headers: {
          authorization: `Bearer ${fixture.account.secret}`,
          'content-type': 'multipart/form-data; boundary=x',
        },
        body: ReadableStream.from(chunks),
        duplex: 'half',
      }),
    )

  it('that goes on and on is ended at its limit, not at its end', async () => {
    const chunk = Buffer.alloc(64 * 1024, 'a')
    let sent = 0
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield head('a.txt')
      for (;;) {
        sent += chunk.length
        yield chunk
        await Promise.resolve()
      }
    }
    const response = await post(endless())
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject([{ code: 544, fields: ['file'] }])
    expect(sent).toBeLessThanOrEqual(MAX + 4 * chunk.length)
    expect(filesOnDisk()).toEqual([])
  })

  it('lies in a file while it comes, not in memory', async () => {
    let seen: string[] = []
    async function* slow(): AsyncGenerator<Uint8Array> {
      yield head('a.txt')
      yield Buffer.alloc(64 * 1024, 'a')
      await waitUntil('a file is being written', () => filesOnDisk().length === 1)
      seen = filesOnDisk()
      yield Buffer.from('\r\n--x--\r\n')
    }
    expect((await post(slow())).status).toBe(200)
    expect(seen).toEqual([expect.stringMatching(/\.part$/)])
    expect(filesOnDisk()).toHaveLength(1)
    expect(filesOnDisk()).not.toEqual(seen)
  })

  it('whose client goes away in the middle leaves nothing', async () => {
    async function* cut(): AsyncGenerator<Uint8Array> {
      yield head('a.txt')
      yield Buffer.alloc(64 * 1024, 'a')
      await waitUntil('a file is being written', () => filesOnDisk().length === 1)
      throw new Error('the client is gone')
    }
    const response = await post(cut())
    expect(await response.json()).toMatchObject([{ code: 501, fields: ['file'] }])
    expect(filesOnDisk()).toEqual([])
  })

  describe('beside sixty-six slow ones of another account', () => {
    /** Uploads of another account that have sent their beginning, and then nothing. */
    function slowUploads(to: string, key: string) {
      const ends: (() => void)[] = []
      let answered = 0
      const answers = Array.from({ length: 66 }, async () => {
        const body = new ReadableStream<Uint8Array>({
          start: (controller) => {
            controller.enqueue(head('a.txt'))
            ends.push(() => {
              controller.error(new Error('the client is gone'))
            })
          },
        })
        const response = await fixture.app.request(
          new Request(`http://trunkline.test/v2/csp${to}`, {
            method: 'POST',
            headers: {
              authorization: `Bearer ${key}`,
              'content-type': 'multipart/form-data; boundary=x',
            },
            body,
            duplex: 'half',
          }),
        )
        const problems = (await response.json()) as { code: number }[]
        answered += 1
        return problems
      })
      return {
        answers,
        answered: () => answered,
        end: () => {
          for (const end of ends) end()
        },
      }
    }

    it('to a campaign that does not exist is taken, and those are refused unread', async () => {
      const other = await fixture.another('Slow')
      const slow = slowUploads('/campaign/C000000/mms', other.secret)
      expect((await fixture.upload(`${path}/mms`, 'logo.png', png)).status).toBe(200)
      for (const answer of await Promise.all(slow.answers))
        expect(answer).toMatchObject([{ code: 502, fields: ['campaignId'] }])
    })

    it('to a campaign of its own is taken, and its neighbour has eight at once', async () => {
      const other = await fixture.another('Slow')
      const brand = await fixture.call('POST', '/brand', privateBrand, other)
      await fixture.registry.settle()
      const { brandId } = brand.body
      const created = await fixture.call(
        'POST',
        '/campaignBuilder',
        { ...campaign, brandId },
        other,
      )
      const slow = slowUploads(`/campaign/${created.body.campaignId}/mms`, other.secret)
      expect((await fixture.upload(`${path}/mms`, 'logo.png', png)).status).toBe(200)
      await waitUntil('those beyond eight are refused', () => slow.answered() === 58)
      slow.end()
      const codes = (await Promise.all(slow.answers)).map(([problem]) => problem?.code)
      expect(codes.filter((code) => code === 591)).toHaveLength(58)
      expect(codes.filter((code) => code === 501)).toHaveLength(8)
    })
  })

  it('to a campaign that is not theirs leaves nothing', async () => {
    const other = await fixture.another('Other')
    const answer = await fixture.upload(`${path}/mms`, 'logo.png', png, other)
    expect(answer.body).toMatchObject([{ code: 502, fields: ['campaignId'] }])
    expect(filesOnDisk()).toEqual([])
  })

  it('that a killed process left is gone with the next start', () => {
    const folder = tempFolder()
    const uploads = `${folder.path}/uploads`
    mkdirSync(uploads)
    writeFileSync(`${uploads}/half.part`, 'half')
    createRegistryUploads(uploads, MAX)
    expect(readdirSync(uploads)).toEqual([])
    folder[Symbol.dispose]()
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
    expect(checkFile(kind, name, sampleOf(bytes)).problems).toHaveLength(isAllowed ? 0 : 1)
  })
})
