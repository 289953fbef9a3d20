import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { MailError } from '../../../src/mail/mail.js'
import { createMailFolder } from '../../../src/mail/mail-folder.js'
import { createSmtpMailer } from '../../../src/mail/smtp-mailer.js'
import { createLogger } from '../../../src/platform/log.js'
import { startSmtpSink, textOf } from '../../support/mail/smtp-sink.js'
import { recordingLog } from '../../support/process/recording-log.js'
import { tempFolder } from '../../support/process/temp-folder.js'

const FROM = 'Acme <mail@acme.example>'
const MAIL = {
  to: 'jane@reader.example',
  subject: 'Grüße',
  text: 'One line.\n\nhttp://here.example/a/very/long/link?with=equals\n',
  id: 'abc-1',
  at: Date.UTC(2026, 0, 15),
}
const never = new AbortController().signal
const log = createLogger('silent')

describe('the folder of mails', () => {
  it('keeps each mail as one file that a mail program opens', async () => {
    using temporary = tempFolder()
    const folder = join(temporary.path, 'mail')
    const mailer = createMailFolder({ folder, from: FROM, log })
    await mailer.send(MAIL, never)
    const [name = ''] = await mailer.list()
    expect(name).toBe(`0${MAIL.at}-abc-1.eml`)
    const raw = readFileSync(join(folder, name), 'utf8')
    expect(raw).toMatch(/^From: Acme <mail@acme.example>\r\n/m)
    expect(raw).toMatch(/^To: jane@reader.example\r\n/m)
    expect(raw).toMatch(/^Message-ID: <abc-1@acme.example>\r\n/m)
    expect(raw).toMatch(/^Date: Thu, 15 Jan 2026 00:00:00 \+0000\r\n/m)
    expect(textOf(raw).replaceAll('\r\n', '\n')).toBe(MAIL.text)
    expect(statSync(join(folder, name)).mode & 0o077).toBe(0)
  })

  it('keeps a mail that is sent again once', async () => {
    using temporary = tempFolder()
    const mailer = createMailFolder({ folder: temporary.path, from: FROM, log })
    await mailer.send(MAIL, never)
    await mailer.send(MAIL, never)
    expect(readdirSync(temporary.path)).toHaveLength(1)
  })

  it('keeps the newest mails only', async () => {
    using temporary = tempFolder()
    const mailer = createMailFolder({ folder: temporary.path, from: FROM, log, maxKept: 3 })
    for (const minute of [1, 2, 3, 4, 5])
      await mailer.send({ ...MAIL, id: `m${minute}`, at: MAIL.at + minute * 60_000 }, never)
    expect((await mailer.list()).map((name) => name.slice(15))).toEqual([
      'm5.eml',
      'm4.eml',
      'm3.eml',
    ])
  })

  it('that cannot be written leaves the mail to a later attempt, and says why', async () => {
    using temporary = tempFolder()
    const folder = join(temporary.path, 'mail')
    writeFileSync(folder, 'in the way')
    const { log, lines } = recordingLog()
    const mailer = createMailFolder({ folder, from: FROM, log })
    await expect(mailer.send(MAIL, never)).rejects.toMatchObject({
      name: 'MailError',
      isRetryable: true,
      message: 'the folder of mails takes none (EEXIST)',
    })
    expect(lines.map(({ msg }) => msg)).toEqual(['could not keep a mail in its folder'])
    rmSync(folder)
    await mailer.send(MAIL, never)
    expect(await mailer.list()).toHaveLength(1)
  })

  it('writes no header that the subject brings, and no file outside', async () => {
    using temporary = tempFolder()
    const mailer = createMailFolder({ folder: temporary.path, from: FROM, log })
    const subject = 'x\r\nBcc: other@reader.example'
    await mailer.send({ ...MAIL, subject, id: '../../up' }, never)
    const [name = ''] = await mailer.list()
    expect(name).toMatch(/^\d{14}-[\w-]+\.eml$/)
    expect(readFileSync(join(temporary.path, name), 'utf8')).not.toMatch(/^Bcc:/m)
  })
})

describe('SMTP', () => {
  it('sends a mail to its one reader', async () => {
    await using sink = await startSmtpSink()
    await createSmtpMailer({ url: sink.url, from: FROM }).send(MAIL, never)
    expect(sink.mails).toHaveLength(1)
    expect(sink.mails[0]).toMatchObject({ from: 'mail@acme.example', to: ['jane@reader.example'] })
    expect(textOf(sink.mails[0]?.raw ?? '').replaceAll('\r\n', '\n')).toBe(MAIL.text)
  })

  it.each([
    [550, false],
    [451, true],
  ])('%i: another attempt is of use: %s', async (status, isRetryable) => {
    await using sink = await startSmtpSink()
    sink.answer = status
    const sent = createSmtpMailer({ url: sink.url, from: FROM }).send(MAIL, never)
    await expect(sent).rejects.toMatchObject({ name: 'MailError', isRetryable, status })
  })

  it('a server that is away may be there later', async () => {
    const url = 'smtp://127.0.0.1:1'
    const sent = createSmtpMailer({ url, from: FROM }).send(MAIL, never)
    await expect(sent).rejects.toMatchObject({ name: 'MailError', isRetryable: true })
  })

  it('a server that is silent is left when the signal fires', async () => {
    const sockets: Socket[] = []
    const silent = createServer((socket) => sockets.push(socket.on('error', () => undefined)))
    const cut = new AbortController()
    await new Promise<void>((resolve) => {
      silent.listen(0, '127.0.0.1', resolve)
    })
    const address = silent.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    const url = `smtp://127.0.0.1:${address.port}`
    const sent = createSmtpMailer({ url, from: FROM }).send(MAIL, cut.signal)
    await expect.poll(() => sockets.length).toBe(1)
    cut.abort(new MailError('cut', { isRetryable: true }))
    await expect(sent).rejects.toThrow('cut')
    await expect
      .poll(() => sockets[0]?.readableEnded === true || sockets[0]?.destroyed === true)
      .toBe(true)
    for (const socket of sockets) socket.destroy()
    silent.close()
  })
})
