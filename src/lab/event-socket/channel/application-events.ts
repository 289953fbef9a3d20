import { randomUUID } from 'node:crypto'
import type { ChannelVariables } from './variables.js'

/** The part of a channel that application events need. */
interface Telling {
  readonly variables: ChannelVariables
  fire(name: string, extra: Iterable<readonly [string, string]>): void
}

/** The application reported for a parked channel, while no other application runs. */
export interface BaseApplication {
  readonly app: 'socket' | 'park'
  readonly arg: string
  readonly uuid: string
}

export function newBase(app: BaseApplication['app'], arg = ''): BaseApplication {
  return { app, arg, uuid: randomUUID() }
}

export function tellComplete(
  channel: Telling,
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
