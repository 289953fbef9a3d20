/** The modules that every call needs, beside those without which nobody could log in to FreeSWITCH. */
export const NEEDED_MODULES: readonly string[] = [
  'mod_dptools',
  'mod_sndfile',
  'mod_tone_stream',
  'mod_conference',
  'mod_audio_fork',
]

/** The module that `MEDIA_FILES=http` needs besides. */
export const HTTP_FILES_MODULE = 'mod_http_cache'
