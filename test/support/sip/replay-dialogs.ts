import { waitUntil } from '../time/wait-until.js'
import {
  type ClientDialog,
  type ClientRequest,
  type ClientResponse,
  commandsHandled,
  type DrachtioClient,
} from './drachtio-client.js'
import { type PeerCall, SipPeer } from './sip-peer.js'
import { headerOf, type PeerMessage } from './sip-peer-message.js'

const LIMIT_MS = 10_000

/** Observed behaviour of one server during a call, as comparable text. */
export interface CallTraffic {
  /** Messages that the phone received. */
  readonly phone: readonly string[]
  /** Messages that the application received. */
  readonly application: readonly string[]
}

/**
 * Replays each call of a script from test/conformance/scripts; resolves with the resulting traffic by call
 * name.
 */
export async function replayDialogs(
  script: string,
  client: DrachtioClient,
  sipPort: number,
): Promise<Readonly<Record<string, CallTraffic>>> {
  const traffic: Record<string, CallTraffic> = {}
  const invites: ((req: ClientRequest, res: ClientResponse) => void)[] = []
  client.invite((req, res) => invites.at(-1)?.(req, res))
  await commandsHandled(client)
  for (const part of script.split(/^call /m).slice(1)) {
    const [name = '', ...lines] = part.split('\n').filter((line) => line.trim() !== '')
    const steps = lines.filter((line) => /^(peer|app) /.test(line))
    const peer = await SipPeer.open()
    const replay = new CallReplay(client, peer, sipPort)
    invites.push((req, res) => {
      replay.invited(req, res)
    })
    try {
      for (const step of steps) await replay.perform(step)
      traffic[name] = replay.traffic
    } finally {
      peer.close()
    }
  }
  return traffic
}

class CallReplay {
  readonly #client: DrachtioClient
  readonly #peer: SipPeer
  readonly #sipPort: number
  readonly #told: string[] = []
  #call: PeerCall | undefined
  #incoming: { readonly req: ClientRequest; readonly res: ClientResponse } | undefined
  #dialled: ClientRequest | undefined
  #dialog: ClientDialog | undefined
  #dialling: Promise<PeerCall> | undefined

  constructor(client: DrachtioClient, peer: SipPeer, sipPort: number) {
    this.#client = client
    this.#peer = peer
    this.#sipPort = sipPort
  }

  get traffic(): CallTraffic {
    const { log = [], invite } = this.#call ?? {}
    const received = this.#dialling === undefined || invite === undefined ? log : [invite, ...log]
    // Retransmissions over UDP count once.
    const once = new Map(received.map((message) => [nameOf(message), message]))
    return { phone: [...once.values()].map(factsOf), application: this.#told }
  }

  invited(req: ClientRequest, res: ClientResponse): void {
    this.#incoming = { req, res }
    this.#told.push(`INVITE`)
    req.on('cancel', () => this.#told.push('CANCEL'))
  }

  async perform(step: string): Promise<void> {
    const [who, verb = '', ...words] = step.split(' ')
    try {
      if (verb === 'sees') await (who === 'app' ? this.#appSees(words) : this.#peerSees(words))
      else if (who === 'app') await this.#appDoes(verb, words)
      else await this.#peerDoes(verb, words)
    } catch (cause) {
      const seen = JSON.stringify(this.traffic, undefined, 1)
      throw new Error(`${step}: not so; seen so far: ${seen}`, { cause })
    }
  }

  async #appSees(words: readonly string[]): Promise<void> {
    const what = words.join(' ')
    await waitUntil(
      what,
      () => this.#told.includes(what),
      LIMIT_MS,
      () => this.#told,
    )
  }

  async #peerSees([what = '', method]: readonly string[]): Promise<void> {
    if (what === 'INVITE') this.#call = await this.#dialling
    else if (/^\d/.test(what)) await this.#current.response(Number(what), method, LIMIT_MS)
    else await this.#current.request(what, LIMIT_MS)
  }

  async #appDoes(verb: string, [status = '']: readonly string[]): Promise<void> {
    switch (verb) {
      case 'ring':
        this.#incoming?.res.send(180)
        return
      case 'refuse':
        this.#incoming?.res.send(Number(status))
        return
      case 'accept':
        await this.#accept()
        return
      case 'dial':
        this.#dialling = this.#peer.nextCall(LIMIT_MS)
        this.#dial()
        return
      case 'cancel':
        this.#dialled?.cancel(() => undefined)
        return
      case 'bye':
        await this.#dialog?.destroy()
        return
      default:
        throw new Error(`the application cannot ${verb}`)
    }
  }

  async #accept(): Promise<void> {
    if (this.#incoming === undefined) throw new Error('nobody called')
    const { req, res } = this.#incoming
    const dialog = await this.#client.createUAS(req, res, { localSdp: this.#peer.sdp() })
    this.#adopt(dialog)
    dialog.once('ack', () => this.#told.push('ACK'))
  }

  #dial(): void {
    const callbacks = {
      cbRequest: (_err: unknown, req: ClientRequest) => {
        this.#dialled = req
      },
      cbProvisional: ({ status }: ClientResponse) => {
        if (status > 100) this.#told.push(String(status))
      },
    }
    this.#client.createUAC(this.#peer.uri(), { localSdp: this.#peer.sdp() }, callbacks).then(
      (dialog) => {
        this.#adopt(dialog)
        this.#told.push('accepted')
      },
      (err: unknown) => {
        const { status } = err as { readonly status?: number } // SipError of the package
        this.#told.push(`refused ${String(status)}`)
      },
    )
  }

  async #peerDoes(verb: string, [status = '', ...reason]: readonly string[]): Promise<void> {
    switch (verb) {
      case 'invite':
        this.#call = this.#peer.call(this.#sipPort)
        return
      case 'ring':
        this.#current.ring()
        return
      case 'answer':
        await this.#current.answer()
        return
      case 'refuse':
        this.#current.respond(Number(status), reason.join(' '))
        return
      case 'cancel':
        this.#current.cancel()
        return
      case 'bye':
        this.#current.bye()
        return
      case 'info':
        this.#current.info('application/dtmf-relay', 'Signal=1\r\nDuration=100\r\n')
        return
      case 'options':
        this.#current.options()
        return
      default:
        throw new Error(`the phone cannot ${verb}`)
    }
  }

  get #current(): PeerCall {
    if (this.#call === undefined) throw new Error('there is no call')
    return this.#call
  }

  #adopt(dialog: ClientDialog): void {
    this.#dialog = dialog
    dialog.on('destroy', () => this.#told.push('destroyed'))
    for (const event of ['info', 'options'])
      dialog.on(event, (_req: ClientRequest, res: ClientResponse) => {
        this.#told.push(event)
        res.send(200)
      })
  }
}

function nameOf(message: PeerMessage): string {
  return `${message.startLine} ${headerOf(message, 'cseq')}`
}

/** Headers with comparable values. Addresses and tags differ between servers. */
const FACTS = ['cseq', 'contact', 'content-type', 'allow', 'require', 'supported', 'reason']

function factsOf(message: PeerMessage): string {
  const line = message.startLine.replace(/sip:\S+/, 'sip:…')
  const facts = FACTS.flatMap((name) => {
    const value = headerOf(message, name)
    if (value === '') return []
    if (name === 'contact') return ['contact']
    return [`${name}: ${name === 'cseq' ? value.replace(/^\d+/, '#') : value}`]
  })
  const tag = headerOf(message, 'to').includes(';tag=') ? 'to tag' : 'no to tag'
  const names = [...new Set(message.headers.map(([name]) => name.toLowerCase()))].sort().join(' ')
  return [line, tag, ...facts, names, message.body === '' ? 'empty' : 'body'].join(' | ')
}
