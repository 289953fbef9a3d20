/** The modules that every call needs. mod_event_socket is not listed: without it no login succeeds. */
export const NEEDED_MODULES: readonly string[] = [
  'mod_commands',
  'mod_sofia',
  'mod_dialplan_xml',
  'mod_dptools',
  'mod_sndfile',
  'mod_tone_stream',
  'mod_conference',
  'mod_audio_fork',
]

/**
 * True when a module is missing, from FreeSWITCH's answer to `module_exists`, which is a command of
 * mod_commands.
 */
export function isMissing(module: string, answer: string): boolean {
  const text = answer.trim()
  return text === 'false' || (module === 'mod_commands' && text.startsWith('-ERR'))
}

/** An additional module that `MEDIA_FILES=http` needs. */
export const HTTP_FILES_MODULE = 'mod_http_cache'
