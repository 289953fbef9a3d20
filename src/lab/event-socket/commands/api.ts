import { randomUUID } from 'node:crypto'
import { API_COMMANDS } from '../api/api-table.js'
import type { SwitchCore } from '../core/switch-core.js'
import type { CommandHandler } from './command.js'

export const api: CommandHandler = async (client, args) => {
  if (args.trim() === '') return '-ERR command not found'
  const answer = await runApi(args, client.core)
  const text = answer === '' ? '-ERR no reply\n' : answer
  client.write(`Content-Type: api/response\nContent-Length: ${Buffer.byteLength(text)}\n\n${text}`)
  return undefined
}

/** `bgapi`: replies at once; the answer is the body of a BACKGROUND_JOB event. */
export const bgapi: CommandHandler = (client, args, command) => {
  const { core, channel } = client
  const job = command.headers.get('job-uuid') ?? randomUUID()
  void runApi(args, core).then((body) => {
    const [name = '', ...words] = args.trim().split(' ')
    core.bus.fire({
      name: 'BACKGROUND_JOB',
      body,
      headers: () => [
        ['Job-UUID', job],
        ...(channel === undefined ? [] : [['Job-Owner-UUID', channel.uuid] as const]),
        ['Job-Command', name],
        ...(words.length === 0 ? [] : [['Job-Command-Arg', words.join(' ')] as const]),
      ],
    })
  })
  return { lines: `Reply-Text: +OK Job-UUID: ${job}\nJob-UUID: ${job}\n` }
}

async function runApi(text: string, core: SwitchCore): Promise<string> {
  const [, name = '', args = ''] = /^\s*(\S+) ?(.*)$/s.exec(text) ?? []
  const run = API_COMMANDS.get(name)
  if (run === undefined) {
    core.log.error({ api: name }, 'unknown api command')
    return `-ERR ${name} Command not found!\n`
  }
  try {
    return await run(args, core)
  } catch (err) {
    core.log.error({ err, api: name }, 'an api command failed')
    return '-ERR internal error\n'
  }
}
