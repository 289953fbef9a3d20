import type { Logger } from '../../../platform/log.js'
import type { CommandLog } from '../model/command-log.js'
import type { SwitchFacts } from '../model/switch-facts.js'
import type { CallProfile } from './call-profile.js'
import { expandVariables } from './expand.js'
import type { ChannelVariables } from './variables.js'

export interface ExpansionDeps {
  readonly facts: SwitchFacts
  readonly commandLog: CommandLog
  readonly log: Logger
}

/** The part of a channel that has fields with names of variables. */
interface Named {
  readonly uuid: string
  readonly profile: CallProfile
}

interface Expanded extends Named {
  readonly variables: ChannelVariables
}

/**
 * Expands an argument. `${…}` stands for a variable; one that names a command is refused and never
 * run, whatever the command. The log shows each expansion, so that a test can prove that no
 * customer's text caused one.
 */
export function expandFor(channel: Expanded, text: string, deps: ExpansionDeps): string {
  const { commandLog, log, facts } = deps
  return expandVariables(text, {
    variable(name) {
      tell(name, 'variable')
      return (
        channel.variables.get(name) ?? profileField(channel, name) ?? globalVariable(facts, name)
      )
    },
    command(name, args) {
      const expression = `${name} ${args}`
      tell(expression, 'refused')
      log.warn(
        { channel: channel.uuid, expression },
        'refused a command in an application argument',
      )
      return '<API Execute Permission Denied>'
    },
  })

  function tell(expression: string, outcome: 'variable' | 'refused'): void {
    commandLog.write({ kind: 'expansion', channel: channel.uuid, expression, outcome })
  }
}

export function profileField({ profile, uuid }: Named, name: string): string | undefined {
  const fields: Readonly<Record<string, string | undefined>> = {
    uuid,
    channel_name: profile.channelName,
    caller_id_name: profile.callerName,
    caller_id_number: profile.callerNumber,
    network_addr: profile.networkAddress,
    destination_number: profile.destination,
    context: 'mrf',
    dialplan: 'XML',
    source: 'mod_sofia',
  }
  return fields[name]
}

export function globalVariable(facts: SwitchFacts, name: string): string | undefined {
  const globals: Readonly<Record<string, string>> = {
    hostname: facts.hostname,
    local_ip_v4: facts.mediaAddress,
    core_uuid: facts.coreUuid,
    temp_dir: '/tmp',
  }
  return globals[name]
}
