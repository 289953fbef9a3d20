import type { Command } from 'commander'
import { OperatorServer, operatorTarget, type TargetFlags, voiceTarget } from './servers/target.js'
import { VoiceServer } from './servers/voice-server.js'
import type { Surroundings } from './surroundings.js'

/** Flags of every command; they may precede or follow its name. */
export interface CommonFlags extends TargetFlags {
  readonly json?: boolean
}

/** Input of an action: its flags, and the servers from flags and environment. */
export class Context<Flags> implements Surroundings {
  readonly flags: Flags & CommonFlags
  readonly isJson: boolean
  readonly env: Surroundings['env']
  readonly print: Surroundings['print']
  readonly complain: Surroundings['complain']
  readonly isColoured: boolean
  readonly interrupted: Surroundings['interrupted']

  constructor(command: Command, { env, print, complain, isColoured, interrupted }: Surroundings) {
    this.flags = command.optsWithGlobals<Flags & CommonFlags>()
    this.isJson = this.flags.json === true
    this.env = env
    this.print = print
    this.complain = complain
    this.isColoured = isColoured
    this.interrupted = interrupted
  }

  /** Throws a `UsageError` when the account is unknown. */
  voice(): VoiceServer {
    return new VoiceServer(voiceTarget(this.flags, this.env))
  }

  /** Throws a `UsageError` when the admin token is unknown. */
  operator(): OperatorServer {
    return new OperatorServer(operatorTarget(this.flags, this.env))
  }
}

/** Sets the action of a command. The action receives its arguments as texts, in the order of declaration. */
export function acting<Flags>(
  command: Command,
  around: Surroundings,
  run: (context: Context<Flags>, ...texts: string[]) => Promise<void> | void,
): Command {
  return command.action(async (...given: unknown[]) => {
    const texts = given.slice(0, command.registeredArguments.length)
    // Arguments are texts: none is declared with a parser of another type.
    await run(new Context<Flags>(command, around), ...(texts as string[]))
  })
}
