/** The variables that `dialplans/media-endpoint.xml` sets on each channel; here no limit for silence. */
export const DIALPLAN_VARIABLES: Readonly<Record<string, string>> = {
  app_disable_expand_variables: 'true',
  media_timeout: '0',
  hangup_after_bridge: 'false',
  hold_hangup_xfer_exten: 'park:inline',
  park_after_bridge: 'true',
  socket_resume: 'true',
  sound_prefix: '.',
}
