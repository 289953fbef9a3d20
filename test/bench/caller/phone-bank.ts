/**
 * Runs in a process of its own: holds many calls at once, each sending and receiving 50 packets a
 * second.
 */
import type { Heard } from './rtp-ear.js'
import { type PlacedCall, SipCaller } from './sip-caller.js'

/** A command to the process that holds many calls. Each one is answered by one report. */
export type BankCommand =
  | {
      readonly type: 'connect'
      readonly sipPort: number
      readonly number: string
      readonly calls: number
      readonly callsPerSecond: number
    }
  /** Starts the count again at zero. */
  | { readonly type: 'count' }
  /** Asks for the counts since the last report. */
  | { readonly type: 'read' }
  /** Stops all sending. */
  | { readonly type: 'hush' }
  | { readonly type: 'hang-up' }

export interface BankReport {
  readonly connected: number
  readonly failed: number
  /** The number of RTP packets sent since the process began. */
  readonly sent: number
  readonly heard: Heard
  readonly problem: string | undefined
}

/**
 * The number of slots that calls are spread over in the 20 ms of a frame, as callers' clocks are.
 */
const SLOTS = 10
const SLOT_MS = 2

class PhoneBank {
  readonly #calls: PlacedCall[] = []
  #caller: SipCaller | undefined
  #clock: NodeJS.Timeout | undefined
  #sent = 0
  #failed = 0
  #problem: string | undefined

  async handle(command: BankCommand): Promise<BankReport> {
    let heard: Heard = { packets: 0, lost: 0, late: 0 }
    switch (command.type) {
      case 'connect':
        await this.#connect(command)
        break
      case 'count':
      case 'read':
        heard = this.#takeCounts()
        break
      case 'hush':
        clearInterval(this.#clock)
        break
      case 'hang-up':
        await Promise.all(this.#calls.splice(0).map((call) => call.hangUp()))
        this.#caller?.close()
    }
    return {
      connected: this.#calls.length,
      failed: this.#failed,
      sent: this.#sent,
      heard,
      problem: this.#problem,
    }
  }

  async #connect(command: Extract<BankCommand, { type: 'connect' }>): Promise<void> {
    const caller = await SipCaller.open(command.sipPort)
    this.#caller = caller
    this.#startClock()
    const begun: Promise<void>[] = []
    const startedAt = performance.now()
    for (let index = 0; index < command.calls; index += 1) {
      const dueAt = startedAt + (index * 1_000) / command.callsPerSecond
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueAt - performance.now())))
      begun.push(
        caller.call(command.number).then(
          (call) => {
            this.#calls.push(call)
          },
          (error: unknown) => {
            this.#failed += 1
            this.#problem = error instanceof Error ? error.message : String(error)
          },
        ),
      )
    }
    await Promise.all(begun)
  }

  /** Starts the clock. Slots that a late timer missed are made up for. */
  #startClock(): void {
    const startedAt = performance.now()
    let slot = 0
    this.#clock = setInterval(() => {
      const due = Math.floor((performance.now() - startedAt) / SLOT_MS)
      for (; slot < due; slot += 1) {
        for (let index = slot % SLOTS; index < this.#calls.length; index += SLOTS)
          if (this.#calls[index]?.phone.tick() === true) this.#sent += 1
      }
    }, SLOT_MS)
  }

  #takeCounts(): Heard {
    const sum = { packets: 0, lost: 0, late: 0 }
    for (const { phone } of this.#calls) {
      const { packets, lost, late } = phone.takeCounts()
      sum.packets += packets
      sum.lost += lost
      sum.late += late
    }
    return sum
  }
}

const bank = new PhoneBank()
process.on('message', (command: BankCommand) => {
  bank.handle(command).then(
    (report) => process.send?.(report),
    (error: unknown) => {
      throw error // ends this process, which the parent sees
    },
  )
})
