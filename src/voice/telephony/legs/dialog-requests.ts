/** Answers the peer's requests inside a dialog: re-INVITE, UPDATE, INFO, NOTIFY, REFER, BYE. */

import { randomInt } from 'node:crypto'
import type { Dialog, SrfRequest, SrfResponse } from 'drachtio-srf'
import type { Logger } from '../../../platform/log.js'
import type { Codec } from '../codecs.js'
import type { MediaEndpoint } from '../freeswitch/media-endpoint.js'
import { peerAudio } from '../freeswitch/peer-audio.js'
import type { Digit, SipStep } from '../port.js'
import {
  answerOrder,
  answerTo,
  audioOf,
  emptyAnswer,
  isSameSdp,
  isWithoutAudio,
  type MediaSecurity,
  NO_COMMON_CODEC,
  offerWarning,
  resumingOffer,
  silenced,
} from '../sdp.js'
import { eventOf, readNotice, statusLineOf } from './sip-fragment.js'
import { responseStep, sipStep } from './sip-step.js'

const SDP_TYPE = 'application/sdp'

export interface DialogListeners {
  readonly onBye: (isFromPeer: boolean) => void
  readonly onDigit: (digit: Digit) => void
  /** Handles a NOTIFY and answers it. */
  readonly onNotify: (req: SrfRequest, res: SrfResponse) => void
  readonly onRefer: (req: SrfRequest, res: SrfResponse) => void
  /** Called when drachtio has forgotten the dialog. */
  readonly onForgotten: () => void
  readonly onSip: (step: SipStep) => void
}

export interface DialogMedia {
  readonly endpoint: MediaEndpoint
  /** The peer's last SDP; `localSdp` is ours. */
  remoteSdp: string
  localSdp: string
  /** Our offer in the 200 to a re-INVITE without one; the ACK with CSeq `sequence` carries the answer. */
  offered?: { readonly sdp: string; readonly sequence: number }
  /** The codecs for the peer, preferred first; see `answerOrder`. */
  readonly codecs?: readonly Codec[] | undefined
  /** The codecs that the media server speaks; after an offer that it refuses, FreeSWITCH answers none. */
  readonly spoken: readonly Codec[]
  /** The kind of audio, which never changes: a peer cannot remove the encryption of a call. */
  readonly security: MediaSecurity
}

const PHRASES: Readonly<Record<number, string>> = {
  200: 'OK',
  481: 'Call/Transaction Does Not Exist',
  488: 'Not Acceptable Here',
  500: 'Server Internal Error',
}

const DEFAULT_DURATION_MS = 250
const LONGEST_DURATION_MS = 10_000

/** Methods inside a dialog whose responses the event log shows: they change the session or the call. */
const ANSWERS_SHOWN: readonly string[] = ['INVITE', 'UPDATE', 'REFER']

/** Maximum Retry-After for an offer that crosses another one, in seconds (RFC 3261 §14.2). */
const RETRY_WITHIN_SECONDS = 10

/** The response object for a request with an offer. */
export interface OfferResponse extends Pick<SrfResponse, 'finalResponseSent'> {
  send(status: number, options?: { readonly headers: Readonly<Record<string, string>> }): void
}

export function watchDialog(
  dialog: Dialog,
  media: DialogMedia,
  listeners: DialogListeners,
  log: Logger,
): void {
  const received = (req: SrfRequest) => {
    const status = req.method === 'NOTIFY' ? (statusLineOf(req.body) ?? '') : ''
    listeners.onSip(sipStep('received', `${req.method} ${status}`.trim(), req))
  }
  const oneAtATime = serializeOffers(log)
  const takeOneOffer = (req: SrfRequest, res: SrfResponse): Promise<void> =>
    oneAtATime(res, () => takeOffer(dialog, media, req, res))
  const handle = dialog.handle.bind(dialog)
  // drachtio-srf reads the body of every re-INVITE, but a re-INVITE without an offer has none.
  dialog.handle = (req, res) => {
    received(req)
    if (ANSWERS_SHOWN.includes(req.method)) showAnswer(req, res, listeners.onSip)
    if (req.method === 'INVITE') void takeOneOffer(req, res)
    else handle(req, res)
    if (endsSubscription(req)) listeners.onForgotten()
  }
  dialog.on('ack', (ack: SrfRequest) => void takeAnswer(media, ack, log))
  dialog.on('update', (req: SrfRequest, res: SrfResponse) => {
    if (req.body) void takeOneOffer(req, res)
    else res.send(200)
  })
  dialog.on('info', (req: SrfRequest, res: SrfResponse) => {
    const digit = digitOfInfo(req.get('Content-Type') ?? '', req.body ?? '')
    res.send(200)
    if (digit) listeners.onDigit(digit)
  })
  dialog.on('notify', listeners.onNotify)
  dialog.on('refer', listeners.onRefer)
  dialog.once('destroy', (req: SrfRequest) => {
    listeners.onBye(req.source === 'network')
  })
}

/** Reports each response that is sent to the request. */
function showAnswer(req: SrfRequest, res: SrfResponse, onSip: DialogListeners['onSip']): void {
  const send = res.send.bind(res) as (...args: unknown[]) => void
  res.send = (status: number, ...rest: readonly unknown[]) => {
    send(status, ...rest)
    const [reason] = rest
    const phrase = typeof reason === 'string' ? reason : (PHRASES[status] ?? '')
    onSip(responseStep('sent', { status, reason: phrase, get: (name) => shownOf(req, name) }))
  }
}

/** A response has the CSeq of its request (RFC 3261 §8.2.6.2), and none of the other headers. */
function shownOf(req: SrfRequest, name: string): string | undefined {
  return name === 'CSeq' ? req.get(name) : undefined
}

/**
 * Returns a function that answers the offers of a dialog one at a time. An offer that crosses another one
 * gets 500 with Retry-After; one whose `answer` fails gets 500 without. Never rejects.
 */
export function serializeOffers(
  log: Logger,
): (res: OfferResponse, answer: () => Promise<void>) => Promise<void> {
  let isAnswering = false
  return async (res, answer) => {
    if (isAnswering) {
      res.send(500, { headers: { 'Retry-After': String(randomInt(RETRY_WITHIN_SECONDS + 1)) } })
      return
    }
    isAnswering = true
    try {
      await answer()
    } catch (err) {
      log.warn({ err }, 'answered 500: could not handle an offer of the peer')
      refuse(res, log)
    } finally {
      isAnswering = false
    }
  }
}

function refuse(res: OfferResponse, log: Logger): void {
  if (res.finalResponseSent) return
  try {
    res.send(500)
  } catch (err) {
    log.warn({ err }, 'could not send the 500 to an offer of the peer')
  }
}

/** Reads a digit from an INFO: `application/dtmf-relay` (`Signal=5`, `Duration=160`) or the digit alone. */
export function digitOfInfo(contentType: string, body: string): Digit | undefined {
  const type = contentType.split(';')[0]?.trim().toLowerCase()
  if (type === 'application/dtmf-relay') {
    const signal = /^\s*signal\s*=\s*(\S+)/im.exec(body)?.[1]
    const durationMs = Number(/^\s*duration\s*=\s*(\d{1,5})/im.exec(body)?.[1])
    return digitOf(signal, durationMs)
  }
  return type === 'application/dtmf' ? digitOf(body.trim(), Number.NaN) : undefined
}

function digitOf(signal: string | undefined, durationMs: number): Digit | undefined {
  // Some phones send the event numbers of RFC 2833: 10 is star and 11 is hash.
  const digit = signal === '10' ? '*' : signal === '11' ? '#' : signal?.toUpperCase()
  if (digit === undefined || !/^[0-9A-D*#]$/.test(digit)) return undefined
  const duration = Number.isNaN(durationMs) ? DEFAULT_DURATION_MS : durationMs
  return { digit, durationMs: Math.min(duration, LONGEST_DURATION_MS) }
}

/**
 * True for a NOTIFY that ends a subscription other than a REFER's. drachtio mistakes it for the end of the
 * dialog, and then answers all later requests of the peer, a BYE too, with 481.
 */
function endsSubscription(req: SrfRequest): boolean {
  return req.method === 'NOTIFY' && readNotice(req).isLast && eventOf(req).package !== 'refer'
}

/**
 * Answers a PRACK that comes after our 200: 200 for the one of `rack`, 481 for any other (RFC 3262 §3).
 * drachtio-srf would refuse each with 501.
 */
export function takePracks(dialog: Dialog, rack: string | undefined): void {
  const handle = dialog.handle.bind(dialog)
  dialog.handle = (req, res) => {
    if (req.method === 'PRACK') res.send(req.get('RAck') === rack ? 200 : 481)
    else handle(req, res)
  }
}

/**
 * Answers an offer inside the dialog (RFC 3261 §14.2, RFC 3311 §5.2) with 200, or with 488 and no change.
 * Rejects when the media server does not accept it.
 */
async function takeOffer(
  dialog: Dialog,
  media: DialogMedia,
  req: SrfRequest,
  res: SrfResponse,
): Promise<void> {
  const headers = { Contact: dialog.local.contact, 'Content-Type': SDP_TYPE }
  const offer = req.body
  if (!offer) {
    const sdp = resumingOffer(media.localSdp)
    media.offered = { sdp, sequence: sequenceOf(req) }
    res.send(200, { headers, body: sdp })
    return
  }
  const isEmpty = isWithoutAudio(offer)
  const wanted = isEmpty ? silenced(media.remoteSdp) : offer
  if (!isEmpty && isSameSdp(offer, media.remoteSdp)) {
    // The answer to a repeated offer is unchanged (RFC 4028 §7.4).
    res.send(200, { headers, body: media.localSdp })
    return
  }
  const peer = audioOf(wanted, media.security, answerOrder(media.codecs))
  if (!peer?.codecs.some((codec) => media.spoken.includes(codec))) {
    const warning = peer === undefined ? offerWarning(wanted) : NO_COMMON_CODEC
    res.send(488, { headers: { Warning: warning } })
    return
  }
  media.localSdp = answerTo(peer, await media.endpoint.modify(peerAudio(peer, req)))
  media.remoteSdp = wanted
  const body = isEmpty ? emptyAnswer(offer, media.localSdp) : media.localSdp
  res.send(200, { headers, body })
}

/**
 * Applies the answer in an ACK (RFC 3261 §13.2.2.4). drachtio may deliver the ACK of an earlier INVITE after
 * the next INVITE.
 */
async function takeAnswer(media: DialogMedia, ack: SrfRequest, log: Logger): Promise<void> {
  const { offered } = media
  if (offered?.sequence !== sequenceOf(ack)) return
  delete media.offered
  try {
    const answer = ack.body
    const peer = answer ? audioOf(answer, media.security) : undefined
    if (!answer || !peer) return
    if (offered.sdp === media.localSdp && isSameSdp(answer, media.remoteSdp)) return
    await media.endpoint.takeAnswer(peerAudio(peer, ack))
    media.localSdp = offered.sdp
    media.remoteSdp = answer
  } catch (err) {
    log.warn({ err }, 'could not apply the SDP answer in an ACK')
  }
}

/** Returns the CSeq number, which an INVITE and its ACK share (RFC 3261 §13.2.2.4). */
function sequenceOf(req: SrfRequest): number {
  return Number.parseInt(req.get('CSeq') ?? '', 10)
}
