/**
 * A tie line: two channels on two FreeSWITCH servers that send each other their audio. It connects legs on
 * different servers without their peers noticing: the legs' dialogs, recordings and forks are unchanged.
 */
import { AdapterError } from '../../../platform/errors.js'
import type { Uac } from '../freeswitch/endpoint-dialog.js'
import type { MediaConnection } from '../freeswitch/media-connection.js'
import type { MediaEndpoint } from '../freeswitch/media-endpoint.js'
import { answerTo, audioOf } from '../sdp.js'

export interface TieLine {
  /** The end on the server that opened the line. */
  readonly near: MediaEndpoint
  readonly far: MediaEndpoint
  /** Ends both channels. */
  close(): Promise<void>
}

/** Nobody presses keys on a tie line, and its users watch the channels themselves. */
const SILENT = { onDigit: () => undefined, onLost: () => undefined }

/** Opens a tie line. Rejects with AdapterError; all its channels are released then. */
export async function openTieLine(
  from: MediaConnection,
  to: MediaConnection,
  uac: Uac,
): Promise<TieLine> {
  const opened: MediaEndpoint[] = []
  const close = async () => {
    await Promise.all(opened.map((endpoint) => endpoint.release()))
  }
  try {
    const near = await from.createEndpoint({ offer: 'plain', uac, events: SILENT })
    opened.push(near)
    const offer = audioOf(near.innerSdp, 'plain', 'g711-first')
    if (offer === undefined) throw new AdapterError('a media server offered no plain audio')
    const far = await to.createEndpoint({ peer: partyOf(offer.audio), uac, events: SILENT })
    opened.push(far)
    const answer = audioOf(answerTo(offer, far.innerSdp), 'plain')
    if (answer === undefined) throw new AdapterError('a media server answered without plain audio')
    await near.takeAnswer(partyOf(answer.audio))
    return { near, far, close }
  } catch (err) {
    await close()
    throw err
  }
}

/** Returns the other media server as a peer, which sends from the address in its SDP. */
function partyOf(sdp: string) {
  return { sdp, from: '', security: 'plain' } as const
}
