import { rm, stat } from 'node:fs/promises'
import { type ApiCommand, splitWords } from './api-command.js'

/** `file_exists PATH` */
export const fileExists: ApiCommand = async (args) => {
  // FreeSWITCH says `false` too where it may not look.
  const found = await stat(args.trim()).catch(() => undefined)
  return String(found?.isFile() === true)
}

/** `http_put URL PATH`, of mod_http_cache */
export const httpPut: ApiCommand = async (args, { httpCache, log }) => {
  const [url = '', path = ''] = splitWords(args)
  if (path === '') return 'USAGE: {param=val}<url> <file>'
  try {
    const status = await httpCache.put(url, path)
    return status >= 200 && status < 300 ? `+OK ${status}\n` : `-ERR ${status}\n`
  } catch (err) {
    log.error({ err, path }, 'could not send a file')
    return '-ERR 0\n'
  }
}

/** `bg_spawn /bin/rm -f PATH`: the one program that clients run, which is none here. */
export const bgSpawn: ApiCommand = async (args, { log }) => {
  const [program, flag, path, ...more] = splitWords(args)
  if (program !== '/bin/rm' || flag !== '-f' || path === undefined || more.length > 0) {
    log.error({ program }, 'refused to run a program')
    return '-ERR refused\n'
  }
  await rm(path, { force: true })
  return '+OK\n'
}
