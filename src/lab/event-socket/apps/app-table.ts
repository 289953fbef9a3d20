import type { Application, AppTable } from '../channel/application.js'
import {
  answer,
  breakApp,
  echo,
  flushDtmf,
  hangup,
  logApp,
  park,
  queueDtmf,
  sendDtmf,
  setMediaStats,
  setMute,
  sleep,
  speak,
  startDtmf,
  startDtmfGenerate,
  stopDtmf,
  stopDtmfGenerate,
} from './brief-apps.js'
import { playAndGetDigits, read } from './play-and-get-digits.js'
import { playback } from './playback.js'
import { record } from './record.js'
import {
  maskRecordSession,
  recordSession,
  stopRecordSession,
  unmaskRecordSession,
} from './record-session.js'
import { exportVariable, multiset, set, unset } from './set-variables.js'

/** Every application that a client can execute; any other hangs up the channel. */
export const APPLICATIONS: AppTable = new Map<string, Application>([
  ['answer', answer],
  ['break', breakApp],
  ['echo', echo],
  ['export', exportVariable],
  ['flush_dtmf', flushDtmf],
  ['hangup', hangup],
  ['log', logApp],
  ['multiset', multiset],
  ['park', park],
  ['play_and_get_digits', playAndGetDigits],
  ['playback', playback],
  ['queue_dtmf', queueDtmf],
  ['read', read],
  ['record', record],
  ['record_session', recordSession],
  ['record_session_mask', maskRecordSession],
  ['record_session_unmask', unmaskRecordSession],
  ['send_dtmf', sendDtmf],
  ['set', set],
  ['set_media_stats', setMediaStats],
  ['set_mute', setMute],
  ['sleep', sleep],
  ['speak', speak],
  ['start_dtmf', startDtmf],
  ['start_dtmf_generate', startDtmfGenerate],
  ['stop_dtmf', stopDtmf],
  ['stop_dtmf_generate', stopDtmfGenerate],
  ['stop_record_session', stopRecordSession],
  ['unset', unset],
])
