/**
 * The life of a message that goes out. Pure.
 *
 *   scheduled ─due─▶ queued ─released─▶ sending ─accepted─▶ sent ─receipts─▶ delivered | undelivered
 *       │              └──────┴─────────┴─refused─▶ failed
 *       └─cancel─▶ canceled
 *
 * A carrier takes a message as one or more parts, each with receipts of its own. The message ends
 * when every part has a final receipt: delivered when all were, else undelivered with the reason of
 * the worst. The first final receipt of a part stands; later ones are absorbed.
 */
import { enter, type Step, stay } from '../platform/step.js'
import type { MessageStatus } from './message-record.js'
import { isFinalReceipt, type ReceiptState, worstReceipt } from './receipt-state.js'

export type MessageLife =
  | { readonly state: Exclude<MessageStatus, 'sent' | 'failed' | 'undelivered'> }
  | { readonly state: 'sent'; readonly parts: readonly ReceiptState[] }
  | { readonly state: 'failed' | 'undelivered'; readonly errorCode: number }

export type MessageEvent =
  | { readonly type: 'due' }
  | { readonly type: 'released' }
  | { readonly type: 'accepted'; readonly parts: number }
  | { readonly type: 'refused'; readonly errorCode: number }
  | { readonly type: 'cancel-requested' }
  | { readonly type: 'receipt'; readonly part: number; readonly state: ReceiptState }

export type MessageEffect =
  | { readonly type: 'report' }
  | { readonly type: 'charge' }
  | { readonly type: 'return-money' }

export type MessageStep = Step<MessageLife, MessageEffect>

const REPORT: MessageEffect = { type: 'report' }
const CHARGE: MessageEffect = { type: 'charge' }
const RETURN_MONEY: MessageEffect = { type: 'return-money' }

export function step(life: MessageLife, event: MessageEvent): MessageStep {
  switch (event.type) {
    case 'due':
      return life.state === 'scheduled' ? enter({ state: 'queued' }, REPORT) : stay(life)
    case 'released':
      return life.state === 'queued' ? enter({ state: 'sending' }) : stay(life)
    case 'accepted':
      if (life.state !== 'sending') return stay(life)
      return enter({ state: 'sent', parts: pendingParts(event.parts) }, CHARGE, REPORT)
    case 'refused':
      return onRefused(life, event.errorCode)
    case 'cancel-requested':
      if (life.state !== 'scheduled') return stay(life)
      return enter({ state: 'canceled' }, RETURN_MONEY, REPORT)
    case 'receipt':
      return onReceipt(life, event.part, event.state)
  }
}

function onRefused(life: MessageLife, errorCode: number): MessageStep {
  const isWaiting = ['scheduled', 'queued', 'sending'].includes(life.state)
  return isWaiting ? enter({ state: 'failed', errorCode }, RETURN_MONEY, REPORT) : stay(life)
}

function onReceipt(life: MessageLife, part: number, state: ReceiptState): MessageStep {
  if (life.state !== 'sent') return stay(life)
  const known = life.parts[part]
  if (known === undefined || isFinalReceipt(known)) return stay(life)
  const parts = life.parts.with(part, state)
  if (!parts.every(isFinalReceipt)) return enter({ state: 'sent', parts })
  const { errorCode } = worstReceipt(parts)
  return errorCode === undefined
    ? enter({ state: 'delivered' }, REPORT)
    : enter({ state: 'undelivered', errorCode }, REPORT)
}

function pendingParts(count: number): readonly ReceiptState[] {
  return Array.from({ length: count }, () => 'ENROUTE' as const)
}
