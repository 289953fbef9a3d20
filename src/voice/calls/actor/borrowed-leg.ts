import type { Leg } from '../../telephony/port.js'

/**
 * The leg of another call, used by a call that has none. It rings and answers with its owner, which also
 * handles its dialog and its REFERs.
 */
export abstract class BorrowedLeg implements Leg {
  readonly direction = 'outbound'
  readonly remoteHeaders = []
  readonly dialogFacts = undefined
  readonly openInvites = []
  protected readonly owner: Leg

  constructor(owner: Leg) {
    this.owner = owner
  }

  get id(): string {
    return this.owner.id
  }

  get sipCallId(): string {
    return this.owner.sipCallId
  }

  get state(): Leg['state'] {
    return this.owner.state
  }

  get media(): Leg['media'] {
    return this.owner.media
  }

  get digits(): Leg['digits'] {
    return this.owner.digits
  }

  ring(): Promise<void> {
    return Promise.resolve()
  }

  answer(): Promise<void> {
    return Promise.resolve()
  }

  refer(...args: Parameters<Leg['refer']>): ReturnType<Leg['refer']> {
    return this.owner.refer(...args)
  }

  abstract hangup(options?: Parameters<Leg['hangup']>[0]): Promise<void>
  abstract onReferral(listener: Parameters<Leg['onReferral']>[0]): () => void
}
