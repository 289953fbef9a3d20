/** Porting: numbers that come from other carriers, and numbers that leave. */
import { join } from 'node:path'
import type { Clock } from '../platform/clock.js'
import type { Database } from '../platform/database/database.js'
import { Disposer } from '../platform/disposer.js'
import type { KeepFiles } from '../platform/files/kept-files.js'
import type { Logger } from '../platform/log.js'
import type { ChannelOutbox } from '../platform/outbox/outbox.js'
import type { Vault } from '../platform/secrets.js'
import type { TurnedClock } from '../platform/turned-clock/turned-clock.js'
import { createUploadReader, type ReadUpload } from '../platform/uploads/read-upload.js'
import { CarrierWork } from './carrier-work.js'
import type { LosingCarrier } from './losing-carrier.js'
import type { Port } from './port.js'
import { createPortLetters, MAX_LETTER_BYTES } from './port-letters.js'
import type { PortLinks } from './port-links.js'
import type { PortingMail } from './port-mails.js'
import { createPortOuts, type PortOuts } from './port-outs.js'
import { createPortabilityChecks, type PortabilityChecks } from './portability.js'
import { createPorts, type Ports, type PortsDeps } from './ports.js'

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
