import { randomUUID } from 'node:crypto'
import type { Logger } from '../../../platform/log.js'
import type { CommandLog } from '../model/command-log.js'
import type { SwitchFacts } from '../model/switch-facts.js'
import type { AppFrame } from './app-frame.js'
import type { ExecuteRequest } from './app-runner.js'
import type { Application } from './application.js'
import type { Channel } from './channel.js'
import { expandVariables } from './expand.js'

export interface ExpansionDeps {
  readonly facts: SwitchFacts
  readonly commandLog: CommandLog
  readonly log: Logger
}

/**
 * Runs an application: tells of its beginning, and of its end once everything that ran on top of it
 * has ended.
 */
export async function runApplication(
  application: Application,
  request: ExecuteRequest,
  run: { readonly channel: Channel; readonly frame: AppFrame; readonly log: Logger },
): Promise<void> {
  const { channel, frame, log } = run
  const { variables } = channel
  const arg = variables.isTrue('app_disable_expand_variables')
    ? request.arg
    : channel.expand(request.arg)
  variables.setAll({
    current_loop: '1',
    total_loops: '1',
    current_application: request.app,
    current_application_data: arg,
    current_application_response: undefined,
  })
  channel.fire('CHANNEL_EXECUTE', applicationHeaders(request, arg))
  try {
    await application.run({ channel, frame, arg, log })
  } catch (err) {
    log.error({ err, app: request.app, arg, channel: channel.uuid }, 'an application failed')
    variables.set('current_application_response', 'EXECUTION FAILED')
  }
  await channel.work.apps.whenOnTop(frame)
  tellComplete(channel, request, arg)
  variables.setAll({ current_loop: undefined, total_loops: undefined })
}

/** The application under whose name a parked channel does nothing. */
export interface BaseApplication {
  readonly app: 'socket' | 'park'
  readonly arg: string
  readonly uuid: string
}

export function newBase(app: BaseApplication['app'], arg = ''): BaseApplication {
  return { app, arg, uuid: randomUUID() }
}

export function tellComplete(
  channel: Channel,
  { app, uuid }: { readonly app: string; readonly uuid: string },
  arg: string,
): void {
  const response = channel.variables.get('current_application_response') ?? '_none_'
  channel.fire('CHANNEL_EXECUTE_COMPLETE', [
    ...applicationHeaders({ app, uuid }, arg).slice(0, -1),
    ['Application-Response', response],
    ['Application-UUID', uuid],
  ])
}

export function applicationHeaders(
  { app, uuid }: { readonly app: string; readonly uuid: string },
  arg: string,
): [string, string][] {
  return [
    ['Application', app],
    ...(arg === '' ? [] : ([['Application-Data', arg]] satisfies [string, string][])),
    ['Application-UUID', uuid],
  ]
}

/**
 * Expands an argument. `${…}` stands for a variable; one that names a command is refused and never
 * run, whatever the command. The log shows each expansion, so that a test can prove that no
 * customer's text caused one.
 */
export function expandFor(channel: Channel, text: string, deps: ExpansionDeps): string {
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

export function profileField({ profile, uuid }: Channel, name: string): string | undefined {
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
