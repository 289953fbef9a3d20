/** Porting: numbers that come from other carriers, and numbers that leave. */
import { join } from 'node:path'
import { linkAbort } from '../platform/async/abort.js'
import { Pump } from '../platform/async/pump.js'
import { type Clock, systemClock } from '../platform/clock.js'
import type { Database } from '../platform/database/database.js'
import { Disposer } from '../platform/disposer.js'
import { AdapterError } from '../platform/errors.js'
import type { KeepFiles } from '../platform/files/kept-files.js'
import type { Logger } from '../platform/log.js'
import type { ChannelOutbox } from '../platform/outbox/outbox.js'
import type { Vault } from '../platform/secrets.js'
import type { TurnedClock } from '../platform/turned-clock/turned-clock.js'
import { createUploadReader, type ReadUpload } from '../platform/uploads/read-upload.js'
import type { CarrierAnswer, CarrierOrder, LosingCarrier } from './losing-carrier.js'
import type { Port } from './port.js'
import { PortStateError } from './port-errors.js'
import { createPortLetters, MAX_LETTER_BYTES } from './port-letters.js'
import type { PortLinks } from './port-links.js'
import type { PortingMail } from './port-mails.js'
import { createPortOuts, type PortOuts } from './port-outs.js'
import { createPortabilityChecks, type PortabilityChecks } from './portability.js'
import { createPorts, type Ports, type PortsDeps } from './ports.js'
import { askAgain, claimPort, type DuePort, nextDuePort } from './storage/due-ports.js'
import { findPortBySid } from './storage/port-storage.js'

export interface Porting extends AsyncDisposable {
  readonly ports: Ports
  readonly portOuts: PortOuts
  readonly portability: PortabilityChecks
  readonly links: PortLinks
  readonly clock: Pick<Clock, 'now'>
  /** The PIN that a port has for its losing carrier. */
  pinOf(port: Port): string | undefined
  /** Reads an uploaded letter. */
  readonly readUpload: ReadUpload
  /** Turns the clock of ports forward; undefined where it cannot be turned. */
  readonly turnClock: ((byMs: number) => Promise<number>) | undefined
  /** Repairs what a killed process left; called once, before any request. */
  recover(): Promise<void>
  /** Begins to ask the losing carrier. */
  start(): void
  /** Resolves when the losing carrier has nothing to say at this moment. */
  settled(): Promise<void>
}

export interface PortingDeps
  extends Pick<
    PortsDeps,
    'ledger' | 'recurring' | 'monthlyRate' | 'hasRoute' | 'campaignProblem' | 'joinCampaign'
  > {
  readonly db: Database
  readonly clock: Pick<Clock, 'now'>
  /** The same clock where it can be turned forward. */
  readonly turned: TurnedClock | undefined
  readonly log: Logger
  readonly vault: Vault
  readonly carrier: LosingCarrier
  readonly mails: ChannelOutbox<PortingMail>
  readonly links: PortLinks
  readonly keepFiles: KeepFiles
  /** The folder of letters, below DATA_DIR. */
  readonly folder: string
}

interface CarrierWorkDeps {
  readonly db: Database
  readonly clock: Pick<Clock, 'now'>
  readonly log: Logger
  readonly vault: Pick<Vault, 'open'>
  readonly carrier: Pick<LosingCarrier, 'ask'>
  readonly ports: Pick<Ports, 'move'>
}

/** Time limit for a carrier's answer, ms. */
const ANSWER_LIMIT_MS = 30_000
/** Interval until the next request after a failure, and until the next look without work, ms. */
const RETRY_MS = 60_000
const LOOK_EVERY_MS = 30_000

export function createPorting(deps: PortingDeps): Porting {
  const { carrier, db, folder, links, turned } = deps
  const clock = turned ?? deps.clock
  const disposer = new Disposer()
  const letters = createPortLetters({ db, clock, folder, keepFiles: deps.keepFiles })
  const ports = createPorts({
    ...deps,
    clock,
    letters,
    onChange: () => {
      work.wake()
    },
  })
  const work = disposer.use(new CarrierWork({ ...deps, clock, ports }))
  return {
    ports,
    portOuts: createPortOuts({ ...deps, clock }),
    portability: createPortabilityChecks({ db, clock, carrier }),
    links,
    clock,
    pinOf: ({ pinSealed }) => (pinSealed === undefined ? undefined : deps.vault.open(pinSealed)),
    readUpload: createUploadReader(join(folder, 'uploads'), MAX_LETTER_BYTES),
    turnClock:
      turned === undefined
        ? undefined
        : async (byMs) => {
            await turned.turn(byMs)
            work.wake()
            return turned.now()
          },
    recover: () => letters.recover(),
    start: () => {
      work.start()
    },
    settled: () => work.settled(),
    [Symbol.asyncDispose]: () => disposer[Symbol.asyncDispose](),
  }
}

/**
 * Asks the losing carrier about ports whose time has come. A port is claimed before its carrier is
 * asked, so that one node asks; the answer is stored over the change that it is about, so that a
 * node that was slow changes nothing.
 *
 * Asks when it is woken and when an answer is due; it does nothing before `start`.
 */
class CarrierWork implements AsyncDisposable {
  readonly #deps: CarrierWorkDeps
  readonly #pump: Pump
  #isStarted = false

  constructor(deps: CarrierWorkDeps) {
    this.#deps = deps
    this.#pump = new Pump({
      name: 'work with losing carriers',
      log: deps.log,
      now: () => deps.clock.now(),
      look: (signal) => this.#look(signal),
    })
  }

  start(): void {
    this.#isStarted = true
    this.#pump.wake()
  }

  wake(): void {
    if (this.#isStarted) this.#pump.wake()
  }

  /** Resolves when no answer is due. */
  async settled(): Promise<void> {
    if (this.#isStarted) await this.#pump.settled()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pump[Symbol.asyncDispose]()
  }

  async #look(signal: AbortSignal): Promise<number> {
    const { db, clock, log } = this.#deps
    try {
      for (;;) {
        const due = await nextDuePort(db, systemClock.now())
        if (due === undefined || signal.aborted) return clock.now() + LOOK_EVERY_MS
        if (due.dueAt > clock.now()) return due.dueAt
        await this.#askAbout(due, signal)
      }
    } catch (err) {
      log.error({ err }, 'could not ask losing carriers')
      return clock.now() + LOOK_EVERY_MS
    }
  }

  async #askAbout(due: DuePort, signal: AbortSignal): Promise<void> {
    const { db, clock, log } = this.#deps
    if (!(await claimPort(db, due, systemClock.now()))) return
    const port = await findPortBySid(db.read, due.sid)
    if (port === undefined) return
    try {
      const answer = await this.#ask(port, signal)
      if (answer.type === 'wait') await askAgain(db, port, answer.until)
      else await this.#deps.ports.move({ sid: port.sid }, answer, 'carrier')
    } catch (err) {
      if (signal.aborted) return
      if (!(err instanceof PortStateError))
        log.warn({ err, pid: port.pid }, 'the losing carrier could not be asked; it will be again')
      await askAgain(db, port, clock.now() + RETRY_MS)
    }
  }

  async #ask(port: Port, signal: AbortSignal): Promise<CarrierAnswer> {
    const { carrier, clock, vault } = this.#deps
    using limited = linkAbort([signal], {
      ms: ANSWER_LIMIT_MS,
      reason: () => new AdapterError('the losing carrier took too long', { isRetryable: true }),
    })
    return await carrier.ask(orderOf(port, vault), clock.now(), limited.signal)
  }
}

function orderOf(port: Port, vault: Pick<Vault, 'open'>): CarrierOrder {
  return {
    reference: port.sid,
    kind: port.kind,
    state: port.progress.state,
    foc: port.foc,
    enteredAt: port.enteredAt,
    numbers: port.numbers.map(({ e164 }) => e164),
    accountNumber: port.subscriber.lcAccountNumber,
    pin: port.pinSealed === undefined ? undefined : vault.open(port.pinSealed),
    desiredDueDate: port.subscriber.desiredDueDate,
    version: port.changes,
    subscriber: port.subscriber,
  }
}
