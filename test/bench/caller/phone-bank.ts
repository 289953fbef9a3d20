/**
 * Runs in a process of its own: holds many calls at once, each sending and receiving 50 packets a
 * second.
 */
import { answerCommands } from '../child.js'
import { type ManyCalls, placeCalls, startFrameClock } from './many-calls.js'
import type { Heard } from './rtp-ear.js'
import { type PlacedCall, SipCaller } from './sip-caller.js'

/** A command to the process that holds many calls. Each one is answered by one report. */
export type BankCommand =
  | ({ readonly type: 'connect' } & ManyCalls)
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

class PhoneBank {
  readonly #calls: PlacedCall[] = []
  #caller: SipCaller | undefined
  #clock: NodeJS.Timeout | undefined
  #sent = 0
  #problems: readonly string[] = []

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
      failed: this.#problems.length,
      sent: this.#sent,
      heard,
      problem: this.#problems.at(-1),
    }
  }

  async #connect(command: ManyCalls): Promise<void> {
    const caller = await SipCaller.open(command.sipPort)
    this.#caller = caller
    this.#clock = startFrameClock(this.#calls, () => {
      this.#sent += 1
    })
    this.#problems = await placeCalls(caller, command, (call) => {
      this.#calls.push(call)
    })
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
answerCommands((command: BankCommand) => bank.handle(command))
