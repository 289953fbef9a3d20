import { EslClient } from './esl-client.js'
import type { MediaClient, ServerUrls } from './lab.js'

/** Compared events; their order matters per channel only. */
const EVENTS =
  'CHANNEL_PARK CHANNEL_UNPARK CHANNEL_BRIDGE CHANNEL_UNBRIDGE CHANNEL_HANGUP CHANNEL_HANGUP_COMPLETE CHANNEL_DESTROY PLAYBACK_START PLAYBACK_STOP CHANNEL_EXECUTE_COMPLETE'

/** Observed behaviour of one server, as comparable text. */
export interface Traffic {
  /** Each command with its answer. */
  readonly answers: readonly string[]
  /** Events of each channel, with the fields that clients use. */
  readonly events: Readonly<Record<string, readonly string[]>>
}

/**
 * Replays a script from test/conformance/scripts on a media server with two channels, and resolves with the
 * resulting traffic.
 */
export async function replayScript(
  script: string,
  client: MediaClient,
  { freeswitchUrl }: ServerUrls,
): Promise<Traffic> {
  const { password, port } = new URL(freeswitchUrl)
  const socket = await EslClient.login(Number(port), password)
  try {
    const [a, b] = [
      (await client.endpoint()).endpoint.uuid,
      (await client.endpoint()).endpoint.uuid,
    ]
    const names = new Map([
      [a, '$A'],
      [b, '$B'],
    ])
    const named = (text: string) =>
      [...names].reduce((so, [uuid, name]) => so.replaceAll(uuid, name), text)
    const filled = (text: string) => text.replaceAll('$A', a).replaceAll('$B', b)
    await socket.command(`event json ${EVENTS}`)
    const answers: string[] = []
    for (const line of script.split('\n').filter((each) => /^[a-z]/.test(each))) {
      const [verb = '', ...words] = line.split(' ')
      const [channel = '', name = '', ...rest] = words
      if (verb === 'api')
        answers.push(`${line} → ${named(await socket.api(filled(words.join(' ')))).trim()}`)
      else if (verb === 'run')
        await socket.command(
          `sendmsg ${filled(channel)}\ncall-command: execute\nexecute-app-name: ${name}\nexecute-app-arg: ${rest.join(' ')}`,
        )
      else await socket.event(name, (event) => event['Unique-ID'] === filled(channel))
    }
    const eventsOf = (uuid: string) =>
      socket.frames.flatMap(({ event }) =>
        event?.['Unique-ID'] === uuid ? [named(factsOf(event))] : [],
      )
    return { answers, events: { A: eventsOf(a), B: eventsOf(b) } }
  } finally {
    socket.socket.destroy()
  }
}

function factsOf(event: Readonly<Record<string, string>>): string {
  const fields = ['Application', 'Application-Response', 'Playback-Status', 'Hangup-Cause']
  const facts = fields.flatMap((field) => {
    const value = event[field]
    return value === undefined ? [] : [`${field}=${value}`]
  })
  return [event['Event-Name'] ?? '', ...facts].join(' ')
}
