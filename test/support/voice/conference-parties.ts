import type { RunningTrunkline } from '../process/trunkline.js'
import { type PeerCall, SipPeer } from '../sip/sip-peer.js'
import { toneLevel } from '../sound/tone.js'
import { waitUntil } from '../time/wait-until.js'
import type { VoiceApp } from './voice-app.js'

const LIMIT_MS = 30_000
/** Amplitude of a party, low enough that twenty together do not clip. */
const LOUDNESS = 2_000
/** Level below which a tone counts as the edge of another. */
const HEARD = LOUDNESS / 2

/** A conference participant, identified by its tone. */
export interface Party {
  readonly sid: string
  readonly call: PeerCall
  readonly peer: SipPeer
  readonly tone: number
}

export interface Parties {
  /** Calls a party that answers and sends this tone; its document joins the conference. */
  call(room: string, tone: number, attributes?: string): Promise<Party>
  /** Like `call`, but resolves once the party is in the conference, so that the order of joining is fixed. */
  join(room: string, tone: number, attributes?: string): Promise<Party>
  /** Creates a phone that answers the next call to `uri` and sends this tone. */
  phone(
    tone: number,
  ): Promise<
    { readonly uri: string; readonly answered: Promise<PeerCall> } & Pick<Party, 'peer' | 'tone'>
  >
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
    // Some phones are never called.
    answered.catch(() => undefined)
    return { uri: peer.uri('party'), answered, peer, tone }
  }
  const call: Parties['call'] = async (room, tone, attributes = '') => {
    const { uri, answered, peer } = await phone(tone)
    const { sid } = await trunkline.createCall({
      To: uri,
      From: '+15551112222',
      Markup: `<Response><Dial action="${app.url}/after"><Conference beep="false" ${attributes}>${room}</Conference></Dial></Response>`,
      StatusCallback: `${app.url}/status`,
    })
    return { sid, call: await answered, peer, tone }
  }
  return {
    phone,
    call,
    join: async (room, tone, attributes) => {
      const party = await call(room, tone, attributes)
      const isIn = () => isParticipant(trunkline, room, party.sid)
      await waitUntil(`${tone} is in ${room}`, isIn, LIMIT_MS, () => '', 50)
      return party
    },
    close: () => {
      for (const peer of peers.splice(0)) peer.close()
    },
  }
}

async function isParticipant(
  trunkline: RunningTrunkline,
  room: string,
  callSid: string,
): Promise<boolean> {
  const found = await trunkline.api(
    'GET',
    `/Conferences.json?FriendlyName=${encodeURIComponent(room)}`,
  )
  const [newest] = found.body['conferences'] as { readonly sid: string }[]
  if (newest === undefined) return false
  const path = `/Conferences/${newest.sid}/Participants/${callSid}.json`
  const answer = await trunkline.api('GET', path)
  return answer.status === 200
}

type Heard = Pick<Party, 'peer' | 'tone'>

/** Resolves when the party hears exactly these tones. */
export async function untilHears(
  one: Heard,
  all: readonly Pick<Party, 'tone'>[],
  wanted: readonly Pick<Party, 'tone'>[],
): Promise<void> {
  const tonesOf = (some: readonly Pick<Party, 'tone'>[]) => some.map(({ tone }) => tone).join(' ')
  const heard = () => {
    const last = one.peer.rtp.heardLately()
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
