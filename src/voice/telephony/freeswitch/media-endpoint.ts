import { setMaxListeners } from 'node:events'
import type { Dialog, SrfRequest, SrfResponse } from 'drachtio-srf'
import { withLimit } from '../../../platform/async/limit.js'
import { SerialQueue } from '../../../platform/async/serial-queue.js'
import { pause } from '../../../platform/async/sleep.js'
import { systemClock } from '../../../platform/clock.js'
import { AdapterError } from '../../../platform/errors.js'
import type { Logger } from '../../../platform/log.js'
import { readCryptoLines } from '../../../platform/sdes/crypto-attribute.js'
import { type CountedMedia, mediaFiguresOf } from '../media-figures.js'
import { type Digit, LegEndedError } from '../port.js'
import { audioOf, isG711, takesTelephoneEvents } from '../sdp.js'
import {
  type ApiCommand,
  type AppCommand,
  type ChannelEvent,
  channelDefaultsCommand,
  countMediaCommand,
  dumpCommand,
  eventsCommand,
  type KeyWay,
  keyWayApplications,
  keyWayCommand,
  killCommand,
  offerCommand,
  readCodecCommand,
  remoteKeyCommand,
  type UrlOf,
} from './command-builder.js'
import type { EslConnection, EslEvent, FsmrfEndpoint } from './drachtio-fsmrf.js'
import { LineHeaders } from './event-headers.js'
import { type PeerAudio, sourceHeader } from './peer-audio.js'

/** Maximum time for FreeSWITCH to answer an `api` command, ms; it usually takes 1 ms. */
const API_LIMIT_MS = 5_000
const NEGOTIATION_LIMIT_MS = 5_000
const RELEASE_LIMIT_MS = 2_000
/** Maximum time for FreeSWITCH to switch codecs, ms; it usually takes one or two frames. */
const CODEC_LIMIT_MS = 1_000
/** The pause between two reads of a channel variable. */
const CHECK_MS = 10
/** FreeSWITCH uses a key within a frame or two of its ACK. */
const KEY_LIMIT_MS = 200
/** Maximum time that the end of a channel waits for its figures, ms. */
const FIGURES_LIMIT_MS = 500
const OFFER_ATTEMPTS = 3
/** FreeSWITCH's answer about a variable that the channel does not have. */
const NO_VARIABLE = '_undef_'
/** FreeSWITCH measures a digit's length in samples at 8 kHz. */
const SAMPLES_PER_MS = 8
/** The source of a DTMF event that `start_dtmf_generate` has consumed. */
const MADE_INTO_TONES = 'APP'
/** One shared error: creating one for each call would cost a stack trace that nobody reads. */
const OVER = new LegEndedError('the leg is over')

export interface EndpointEvents {
  readonly onDigit: (digit: Digit) => void
  /** Called when the channel has ended and this process did not end it. */
  readonly onLost: () => void
}

/** What a channel needs to know about its media server and its peer. */
export interface EndpointServer {
  readonly name: string
  readonly urlOf: UrlOf | undefined
  /** Returns the channel's SDP as its peer must see it. */
  readonly shown: (sdp: string) => string
}

/** One channel of FreeSWITCH. After `over` aborts, every operation rejects with LegEndedError. */
export class MediaEndpoint {
  readonly uuid: string
  /** The name of the channel's media server. Only channels of one server can be bridged. */
  readonly serverName: string
  /** Returns download URLs for the media server; undefined when it shares a folder with us. */
  readonly urlOf: UrlOf | undefined
  readonly #endpoint: FsmrfEndpoint
  /**
   * The channel's event-socket connection. drachtio-fsmrf drops its own reference when the connection ends.
   */
  readonly #conn: EslConnection
  readonly #log: Logger
  readonly #over = new AbortController()
  readonly #onLost: () => void
  readonly #shown: (sdp: string) => string
  readonly #askedFor = new Set<ChannelEvent>()
  readonly #negotiations = new SerialQueue()
  readonly #createdMs = systemClock.monotonic()
  #keyWay: KeyWay = 'events'
  /** The last SDP answer of the channel, or its offer. */
  #agreed: string
  #release: Promise<CountedMedia | undefined> | undefined
  #isLost = false

  constructor(
    endpoint: FsmrfEndpoint,
    server: EndpointServer,
    events: EndpointEvents,
    log: Logger,
  ) {
    this.uuid = endpoint.uuid
    this.serverName = server.name
    this.urlOf = server.urlOf
    this.#shown = server.shown
    this.#endpoint = endpoint
    this.#agreed = endpoint.local.sdp
    this.#conn = endpoint.conn
    this.#log = log
    // Each running operation adds a listener.
    setMaxListeners(0, this.#over.signal)
    this.#onLost = events.onLost
    const lost = () => {
      this.lose()
    }
    endpoint.on('dtmf', (event: { dtmf: string; duration: string; source: string }) => {
      // A digit from the other side of a bridge; this peer gets it as tones.
      if (event.source === MADE_INTO_TONES) return
      events.onDigit({ digit: event.dtmf, durationMs: Number(event.duration) / SAMPLES_PER_MS })
    })
    endpoint.on('destroy', lost)
    endpoint.dialog.once('destroy', lost)
    // Without this, drachtio-fsmrf writes to the console; the end of the connection is reported elsewhere.
    endpoint.conn.removeAllListeners('error')
    endpoint.conn.on('error', (err: unknown) => {
      log.debug({ err }, 'channel connection error')
    })
    this.#setDefaults()
  }

  /** FreeSWITCH's SDP from the creation of the channel, as the peer must see it. */
  get localSdp(): string {
    return this.#shown(this.innerSdp)
  }

  /** The same SDP with the channel's internal address, for other media servers in the same network. */
  get innerSdp(): string {
    return this.#endpoint.local.sdp
  }

  get over(): AbortSignal {
    return this.#over.signal
  }

  /** Ends the endpoint after its channel has been lost. */
  lose(): void {
    if (this.#over.signal.aborted) return
    this.#isLost = true
    this.#over.abort(OVER)
    this.#onLost()
  }

  /**
   * Sends a command; resolves with the answer's text without its line end. Rejects with AdapterError when the
   * answer is an `-ERR`.
   */
  async api(command: ApiCommand): Promise<string> {
    const response = await withLimit(
      this.#whileAlive<EslEvent>((resolve) => {
        this.#conn.api(command.text, resolve)
      }),
      API_LIMIT_MS,
      () => {
        throw new AdapterError(`no answer to ${command.text.split(' ')[0] ?? ''}`)
      },
    )
    const text = response.getBody().trim()
    if (text.startsWith('-')) throw new AdapterError(`the media server refused: ${text}`)
    return text
  }

  /** Runs an application; resolves with its last event. The caller must set a time limit. */
  execute(command: AppCommand): Promise<EslEvent> {
    return this.#whileAlive((resolve) => {
      this.#conn.execute(command.name, command.argument, resolve)
    })
  }

  /** Resolves at the next event of that name, or when the channel ends. */
  nextEvent(name: 'CHANNEL_BRIDGE' | 'CHANNEL_PARK'): Promise<void> {
    this.#askFor(name)
    return new Promise((resolve) => {
      const event = `esl::event::${name}::${this.uuid}`
      const settle = () => {
        this.#conn.removeListener(event, settle)
        this.#over.signal.removeEventListener('abort', settle)
        resolve()
      }
      this.#conn.on(event, settle)
      this.#over.signal.addEventListener('abort', settle, { once: true })
      if (this.#over.signal.aborted) settle()
    })
  }

  /** Waits for the channel's next conference event with that action; `forget` stops the wait. */
  nextRoomEvent(action: 'add-member'): {
    readonly done: Promise<EslEvent>
    readonly forget: () => void
  } {
    let forget: () => void = () => undefined
    const done = new Promise<EslEvent>((resolve) => {
      forget = this.onRoomEvent((event) => {
        if (event.getHeader('Action') === action) resolve(event)
      })
    })
    return { done, forget }
  }

  /** Calls the listener with conference events of this channel; the returned function unsubscribes. */
  onRoomEvent(listener: (event: EslEvent) => void): () => void {
    const name = `esl::event::CUSTOM::${this.uuid}`
    const onEvent = (event: EslEvent) => {
      if (event.getHeader('Event-Subclass') === 'conference::maintenance') listener(event)
    }
    this.#conn.on(name, onEvent)
    this.#askFor('CUSTOM conference::maintenance')
    return () => {
      this.#conn.removeListener(name, onEvent)
    }
  }

  /** Calls the listener whenever a playback starts; the returned function unsubscribes. */
  onPlaybackStart(listener: () => void): () => void {
    const name = `esl::event::PLAYBACK_START::${this.uuid}`
    this.#conn.on(name, listener)
    this.#askFor('PLAYBACK_START')
    return () => {
      this.#conn.removeListener(name, listener)
    }
  }

  /**
   * Offers the peer's SDP to FreeSWITCH, one offer at a time; resolves with its answer, as the peer must see
   * it.
   */
  async modify(peer: PeerAudio): Promise<string> {
    return this.#shown(await this.#negotiate(peer, reinvite))
  }

  /**
   * Applies the peer's answer to FreeSWITCH's own offer. An SRTP answer must answer a new offer: if the
   * peer's new key came in an offer, FreeSWITCH would change its own key, which the peer already uses.
   * FreeSWITCH drops an answer that comes within some 20 ms of the channel's first ACK; another offer is
   * requested then.
   */
  async takeAnswer(peer: PeerAudio): Promise<void> {
    if (peer.security === 'plain') {
      await this.#negotiate(peer, reinvite)
      return
    }
    for (let attempt = 0; attempt < OFFER_ATTEMPTS; attempt++) {
      await this.#negotiate(peer, this.#answerItsOffer)
      if (await this.#usesKeyOf(peer)) return
    }
    throw new AdapterError('the media server did not take the key of an answer')
  }

  /**
   * Resolves with true once FreeSWITCH decrypts with the key of the peer's SDP, with false when it does not
   * within the limit. A server that does not show its keys, as the lab, counts as one that uses it.
   */
  async #usesKeyOf({ sdp }: PeerAudio): Promise<boolean> {
    const keys = readCryptoLines(sdp).flat()
    return await this.#becomesTrue(KEY_LIMIT_MS, async () => {
      const used = await this.api(remoteKeyCommand(this.uuid))
      return (
        used === NO_VARIABLE || keys.some(({ key }) => used.includes(`inline:${unpadded(key)}`))
      )
    })
  }

  /** Reads the channel's state until it is as wanted; resolves with false when the limit is over first. */
  async #becomesTrue(limitMs: number, isSo: () => Promise<boolean>): Promise<boolean> {
    const until = systemClock.monotonic() + limitMs
    while (!(await isSo())) {
      if (systemClock.monotonic() > until) return false
      await pause(CHECK_MS, this.#over.signal)
    }
    return true
  }

  /** Makes FreeSWITCH send an offer, and answers it with the peer's audio line. */
  readonly #answerItsOffer: typeof reinvite = (dialog, peer, resolve, reject) => {
    answerNextOffer(dialog, peer, resolve)
    this.api(offerCommand(this.uuid)).catch(reject)
  }

  #negotiate(peer: PeerAudio, exchange: typeof reinvite): Promise<string> {
    return this.#negotiations.run(async () => {
      await this.followKeyWay(peer.sdp)
      const sdp = await withLimit(
        this.#whileAlive<string>((resolve, reject) => {
          exchange(this.#endpoint.dialog, peer, resolve, reject)
        }),
        NEGOTIATION_LIMIT_MS,
        () => {
          throw new AdapterError('the media server did not answer an offer')
        },
      )
      if (!isG711(this.#agreed) || !isG711(sdp)) await this.#whenReading(sdp)
      this.#agreed = sdp
      return sdp
    })
  }

  /**
   * Resolves once the channel reads with the codec of its answer. A recording or fork that starts earlier
   * plays the peer at the wrong speed if the sample rates of the two codecs differ.
   */
  async #whenReading(answer: string): Promise<void> {
    const [codec] = audioOf(answer)?.codecs ?? []
    if (codec === undefined) return
    const isReading = await this.#becomesTrue(
      CODEC_LIMIT_MS,
      async () => (await this.api(readCodecCommand(this.uuid))).toUpperCase() === codec,
    )
    if (isReading) return
    this.#log.warn({ channel: this.uuid, codec }, 'a channel did not switch to its codec in time')
  }

  /** How the peer's digits travel, by its last SDP. */
  get keyWay(): KeyWay {
    return this.#keyWay
  }

  /**
   * Switches digit detection to match the peer's SDP: in audio when it has no telephone events. Resolves when
   * FreeSWITCH can be given the SDP.
   */
  async followKeyWay(peerAudio: string): Promise<void> {
    const way = takesTelephoneEvents(peerAudio) ? 'events' : 'audio'
    if (way === this.#keyWay) return
    this.#keyWay = way
    const failed = (err: unknown) => {
      this.#log.debug({ err }, 'channel ended before its digit detection was set')
    }
    for (const command of keyWayApplications(way)) this.execute(command).catch(failed)
    await this.api(keyWayCommand(this.uuid, way)).catch(failed)
  }

  /** Resolves with what the channel's audio is so far; undefined when the server does not tell. */
  figures(): Promise<CountedMedia | undefined> {
    const answer = new Promise<EslEvent>((resolve) => {
      this.#conn.api(countMediaCommand(this.uuid).text, () => undefined)
      this.#conn.api(dumpCommand(this.uuid).text, resolve)
    }).then((event) => this.#figuresIn(event.getBody()))
    return withLimit(answer, FIGURES_LIMIT_MS, () => undefined)
  }

  #figuresIn(dump: string): CountedMedia | undefined {
    if (dump.startsWith('-')) return undefined
    const headers = new LineHeaders(dump)
    const variable = (name: string) => {
      const value = headers.get(`variable_${name}`)
      return typeof value === 'string' ? value : undefined
    }
    const durationMs = Math.round(systemClock.monotonic() - this.#createdMs)
    return mediaFiguresOf(variable, { server: this.serverName, channel: this.uuid, durationMs })
  }

  /**
   * Ends the channel; resolves when its dialog and its connection are closed, with its figures if `what`
   * says so. The first call decides.
   */
  release(what: 'figures' | 'nothing' = 'nothing'): Promise<CountedMedia | undefined> {
    this.#release ??= this.#end(what)
    return this.#release
  }

  async #end(what: 'figures' | 'nothing'): Promise<CountedMedia | undefined> {
    const { dialog } = this.#endpoint
    this.#over.abort(OVER)
    const { socket } = this.#conn
    const isThere = !this.#isLost && socket !== null && !socket.closed
    const figures =
      isThere && what === 'figures'
        ? await this.figures().catch((err: unknown) => {
            this.#log.debug({ err }, 'the figures of a channel were not read')
            return undefined
          })
        : undefined
    const closed = new Promise<void>((resolve) => {
      if (!socket || socket.closed) resolve()
      else socket.once('close', resolve)
    })
    const hungUp = dialog.connected
      ? dialog.destroy({}).catch((err: unknown) => {
          this.#log.debug({ err }, 'BYE to the media server failed; killing the channel')
          this.#conn.api(killCommand(this.uuid).text, () => undefined)
        })
      : undefined
    const gone = Promise.all([closed, hungUp]).then(() => undefined)
    await withLimit(gone, RELEASE_LIMIT_MS, () => {
      this.#log.warn({ channel: this.uuid }, 'channel did not end in time')
    })
    socket?.destroy()
    this.#endpoint.removeAllListeners()
    return figures
  }

  /** Sets the defaults that the dialplan has not set. */
  #setDefaults(): void {
    const info = this.#conn.getInfo()
    const command = channelDefaultsCommand(
      this.uuid,
      (name) => info?.getHeader(`variable_${name}`) ?? null,
    )
    if (command === undefined) return
    this.api(command).catch((err: unknown) => {
      this.#log.debug({ err }, 'channel ended before its defaults were set')
    })
  }

  #askFor(event: ChannelEvent): void {
    if (this.#askedFor.has(event)) return
    this.#askedFor.add(event)
    this.#conn.send(eventsCommand([event]).text)
  }

  #whileAlive<T>(
    start: (resolve: (value: T) => void, reject: (err: unknown) => void) => void,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const { signal } = this.#over
      const onOver = () => {
        reject(new LegEndedError('the leg is over'))
      }
      if (signal.aborted) {
        onOver()
        return
      }
      signal.addEventListener('abort', onOver, { once: true })
      const settle =
        <V>(next: (value: V) => void) =>
        (value: V) => {
          signal.removeEventListener('abort', onOver)
          next(value)
        }
      start(settle(resolve), settle(reject))
    })
  }
}

/** Sends a re-INVITE. `Dialog.modify()` is not used: it hangs forever after one refused offer. */
function reinvite(
  dialog: Dialog,
  peer: PeerAudio,
  resolve: (answer: string) => void,
  reject: (err: unknown) => void,
): void {
  const headers = {
    Contact: dialog.local.contact,
    'Content-Type': 'application/sdp',
    ...sourceHeader(peer),
  }
  dialog.request({ method: 'INVITE', body: peer.sdp, headers }, (err, response?: SrfResponse) => {
    if (err || !response) reject(err ?? new AdapterError('no response to an offer'))
    else if (response.status === 200) resolve(response.body ?? '')
    else if (response.status > 200)
      reject(new AdapterError(`the media server refused an offer with ${String(response.status)}`))
  })
}

/**
 * Answers the next re-INVITE that FreeSWITCH sends for the channel with the peer's audio line. Calls `done`
 * with FreeSWITCH's offer once the answer was acknowledged.
 */
export function answerNextOffer(
  dialog: Dialog,
  peer: PeerAudio,
  done: (offer: string) => void,
): void {
  const handle = dialog.handle.bind(dialog)
  // drachtio-srf would answer the re-INVITE itself, with the old SDP.
  dialog.handle = (req: SrfRequest, res: SrfResponse) => {
    if (req.method !== 'INVITE') {
      handle(req, res)
      return
    }
    dialog.handle = handle
    dialog.once('ack', () => {
      done(req.body ?? '')
    })
    const headers = {
      Contact: dialog.local.contact,
      'Content-Type': 'application/sdp',
      ...sourceHeader(peer),
    }
    res.send(200, { headers, body: peer.sdp })
  }
}

/** A key without the padding, which may be left out (RFC 4568 §6.1). */
function unpadded(key: string): string {
  return key.replace(/=+$/, '')
}
