import ipaddr from 'ipaddr.js'
import type { Logger } from '../../../platform/log.js'
import type { Uac } from '../freeswitch/endpoint-dialog.js'
import type { MediaConnection } from '../freeswitch/media-connection.js'
import { audioComesBack, type TriedServer } from './audio-trial.js'

/** The interval at which a server with a fault, or whose trial could not be made, is tried again. */
const AGAIN_MS = 10_000
const NO_EVENTS = { onDigit: () => undefined, onLost: () => undefined }

/** The part of a media server that its trials use. */
export interface TrialServer
  extends TriedServer,
    Pick<MediaConnection, 'name' | 'fault' | 'rtpAddress'> {}

export interface ServerTrialsDeps {
  /** The media servers that are up. */
  readonly connections: () => readonly TrialServer[]
  /** The way to them; undefined while no drachtio is up. */
  readonly uac: () => Uac | undefined
  /** True to try each server once when it is up, before a call does. */
  readonly isTriedFirst: boolean
  /** Called when `audioFaultOf` changes. */
  readonly onChange: () => void
  readonly log: Logger
}

/**
 * Makes a channel that nobody hears on a media server, to see whether it connects back: once where an
 * address was set for it, and again for as long as it does not. Where the server's RTP has another
 * address than its event socket, it also sees whether audio comes back from there. A trial that could
 * not be made is made again until it could.
 */
export class ServerTrials implements Disposable {
  readonly #deps: ServerTrialsDeps
  readonly #tried = new WeakSet<TrialServer>()
  readonly #underTrial = new Set<TrialServer>()
  /** The servers that sent no audio back. */
  readonly #silent = new WeakSet<TrialServer>()
  /** The servers whose last trial could not be made: it showed nothing. */
  readonly #owed = new WeakSet<TrialServer>()
  readonly #timer: NodeJS.Timeout

  constructor(deps: ServerTrialsDeps) {
    this.#deps = deps
    this.#timer = setInterval(() => {
      this.#tryEach(
        (each) => each.fault !== undefined || this.#silent.has(each) || this.#owed.has(each),
      )
    }, AGAIN_MS).unref()
  }

  /** Why parties may hear nothing on a server; undefined where audio came back, or was not tried. */
  audioFaultOf(connection: TrialServer): string | undefined {
    if (!this.#silent.has(connection)) return undefined
    const { rtpAddress = '' } = connection
    return `no audio comes back from ${rtpAddress}, where FreeSWITCH tells parties to send theirs: check RTP_IP, EXT_RTP_IP and the firewall; a NAT that does not lead back inside looks the same`
  }

  /** Tries the servers that are up and were not tried yet. */
  look(): void {
    const { isTriedFirst } = this.#deps
    this.#tryEach((each) => !this.#tried.has(each) && (isTriedFirst || hasOtherRtpAddress(each)))
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  #tryEach(isWanted: (connection: TrialServer) => boolean): void {
    const uac = this.#deps.uac()
    if (uac === undefined) return
    for (const connection of this.#deps.connections().filter(isWanted)) {
      if (this.#underTrial.has(connection)) continue
      this.#tried.add(connection)
      this.#underTrial.add(connection)
      void this.#try(connection, uac).finally(() => {
        this.#underTrial.delete(connection)
      })
    }
  }

  async #try(connection: TrialServer, uac: Uac): Promise<void> {
    try {
      if (hasOtherRtpAddress(connection))
        this.#heard(connection, await audioComesBack(connection, uac))
      else await (await connection.createEndpoint({ uac, events: NO_EVENTS })).release()
      this.#owed.delete(connection)
    } catch (err) {
      this.#owe(connection, err)
    }
  }

  /** Logs the first of several failures: the next ones say the same. */
  #owe(connection: TrialServer, err: unknown): void {
    if (this.#owed.has(connection)) return
    this.#owed.add(connection)
    this.#deps.log.warn({ err, server: connection.name }, 'a media server could not be tried')
  }

  #heard(connection: TrialServer, isHeard: boolean): void {
    if (isHeard !== this.#silent.has(connection)) return
    if (isHeard) this.#silent.delete(connection)
    else this.#silent.add(connection)
    this.#deps.onChange()
  }
}

/** True when parties send audio to another address than the one that this process talks to. */
function hasOtherRtpAddress({ rtpAddress, ends }: TrialServer): boolean {
  const [rtp, own] = [rtpAddress, ends.remoteAddress].map((address) =>
    address === undefined || !ipaddr.isValid(address) ? undefined : ipaddr.process(address),
  )
  if (rtp === undefined || own === undefined || rtp.range() === 'unspecified') return false
  // This process sends from the address by which it reaches the event socket.
  if (rtp.kind() !== own.kind()) return false
  return rtp.toString() !== own.toString()
}
