import type { RunningTrunkline } from '../process/trunkline.js'
import { type PeerCall, SipPeer } from '../sip/sip-peer.js'
import { toneLevel } from '../sound/tone.js'
import { waitUntil } from '../time/wait-until.js'
import type { VoiceApp } from './voice-app.js'

const LIMIT_MS = 30_000
/** What a party says has an amplitude of 2,000, so that twenty together do not clip. */
const LOUDNESS = 2_000
/** Less is the edge of another tone. */
const HEARD = LOUDNESS / 2

/** Somebody in a room, known by its tone. */
export interface Party {
  readonly sid: string
  readonly call: PeerCall
  readonly peer: SipPeer
  readonly tone: number
}

export interface Parties {
  /** Calls somebody who answers, says this tone, and is brought into the room. */
  join(room: string, tone: number, attributes?: string): Promise<Party>
  /** A telephone that answers the next call to `uri` and says this tone. */
  phone(
    tone: number,
  ): Promise<
    { readonly uri: string; readonly answered: Promise<PeerCall> } & Pick<Party, 'peer' | 'tone'>
  >
  /** Ends all telephones. */
  close(): void
}

export function createParties(trunkline: RunningTrunkline, app: VoiceApp): Parties {
  const peers: SipPeer[] = []
  const phone: Parties['phone'] = async (tone) => {
    const peer = await SipPeer.open()
    peers.push(peer)
    peer.rtp.loudness = LOUDNESS
    const answered = peer.nextCall(LIMIT_MS).then(async (call) => {
      await call.answer()
      peer.rtp.speak(tone)
      return call
    })
    return { uri: peer.uri('party'), answered, peer, tone }
  }
  return {
    phone,
    join: async (room, tone, attributes = '') => {
      const { uri, answered, peer } = await phone(tone)
      const { sid } = await trunkline.createCall({
        To: uri,
        From: '+15551112222',
        Markup: `<Response><Dial action="${app.url}/after"><Conference beep="false" ${attributes}>${room}</Conference></Dial></Response>`,
        StatusCallback: `${app.url}/status`,
      })
      return { sid, call: await answered, peer, tone }
    },
    close: () => {
      for (const peer of peers.splice(0)) peer.close()
    },
  }
}

type Heard = Pick<Party, 'peer' | 'tone'>

/** Resolves when it hears these of all, and nobody else. */
export async function untilHears(
  one: Heard,
  all: readonly Pick<Party, 'tone'>[],
  wanted: readonly Pick<Party, 'tone'>[],
): Promise<void> {
  const tonesOf = (some: readonly Pick<Party, 'tone'>[]) => some.map(({ tone }) => tone).join(' ')
  const heard = () => {
    const last = one.peer.rtp.heard()
    return tonesOf(all.filter(({ tone }) => toneLevel(last, tone) > HEARD))
  }
  const expected = tonesOf(all.filter((some) => wanted.includes(some)))
  await waitUntil(`${one.tone} hears ${expected}`, () => heard() === expected, LIMIT_MS, heard)
}

export async function untilAllHearTheOthers(all: readonly Heard[]): Promise<void> {
  for (const one of all)
    await untilHears(
      one,
      all,
      all.filter((other) => other !== one),
    )
}
