/** The process of softphones: thousands of them, in offices of fifty. */
import { pause } from '../../../src/platform/async/sleep.js'
import { answerCommands } from '../child.js'
import { percentilesOf } from '../percentiles.js'
import { type OfficePhone, openOffice } from './phone-office.js'

/** What the benchmark asks of its process of softphones. */
export type PhonesCommand =
  /** Makes the phones, and registers all of them at once. */
  | {
      readonly type: 'storm'
      readonly sipPort: number
      readonly phones: number
      readonly domain: string
      readonly password: string
      readonly limitMs: number
    }
  /** Refreshes the phones at an even rate, each every `everyMs`. */
  | { readonly type: 'refresh'; readonly everyMs: number; readonly seconds: number }

export interface PhonesReport {
  /** The REGISTERs that got a 200, and those that got another final response or none. */
  readonly registered: number
  readonly failed: number
  readonly seconds: number
  /** The times from a REGISTER to its 200, over both requests where one was challenged. */
  readonly p50: number
  readonly p95: number
  readonly cores: number
}

const PHONES_IN_OFFICE = 50
const REFRESH_LIMIT_MS = 5_000

const phones: OfficePhone[] = []

async function run(command: PhonesCommand): Promise<PhonesReport> {
  if (command.type === 'storm') {
    await settle(command)
    return await timed((register) =>
      Promise.all(phones.map((phone) => register(phone, command.limitMs))),
    )
  }
  return await timed((register) => refresh(register, command))
}

async function settle(command: Extract<PhonesCommand, { readonly type: 'storm' }>): Promise<void> {
  for (let at = 0; at < command.phones; at += PHONES_IN_OFFICE) {
    const office = await openOffice({
      ...command,
      address: `127.1.${Math.floor(at / PHONES_IN_OFFICE / 250)}.${((at / PHONES_IN_OFFICE) % 250) + 1}`,
    })
    for (let one = at; one < Math.min(at + PHONES_IN_OFFICE, command.phones); one++)
      phones.push(office.phone(`phone${one}`))
  }
}

type Register = (phone: OfficePhone, limitMs: number) => Promise<void>

/** Refreshes one phone after another at an even rate, however long each takes. */
async function refresh(
  register: Register,
  { everyMs, seconds }: Extract<PhonesCommand, { readonly type: 'refresh' }>,
): Promise<void> {
  const startedAt = performance.now()
  const total = Math.round((phones.length * seconds * 1_000) / everyMs)
  const running: Promise<void>[] = []
  for (let sent = 0; sent < total; sent++) {
    const phone = phones[sent % phones.length]
    const dueMs = startedAt + (sent * everyMs) / phones.length - performance.now()
    if (dueMs > 0) await pause(dueMs)
    if (phone !== undefined) running.push(register(phone, REFRESH_LIMIT_MS))
  }
  await Promise.all(running)
}

async function timed(work: (register: Register) => Promise<unknown>): Promise<PhonesReport> {
  const times: number[] = []
  let failed = 0
  const [startedAt, before] = [performance.now(), process.cpuUsage()]
  await work(async (phone, limitMs) => {
    const sentAt = performance.now()
    if (await phone.register(limitMs)) times.push(performance.now() - sentAt)
    else failed++
  })
  const seconds = (performance.now() - startedAt) / 1_000
  const used = process.cpuUsage(before)
  const { p50, p95 } = percentilesOf(times)
  const cores = (used.user + used.system) / 1e6 / seconds
  return { registered: times.length, failed, seconds, p50, p95, cores }
}

answerCommands(run)
