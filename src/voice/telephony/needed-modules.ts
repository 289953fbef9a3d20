/** The modules that every call needs, beside mod_event_socket, without which nobody could log in. */
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

/** Whether a module is missing, by FreeSWITCH's answer to `module_exists`, a command of mod_commands. */
export function isMissing(module: string, answer: string): boolean {
  const text = answer.trim()
  return text === 'false' || (module === 'mod_commands' && text.startsWith('-ERR'))
}

/** The module that `MEDIA_FILES=http` needs besides. */
export const HTTP_FILES_MODULE = 'mod_http_cache'
