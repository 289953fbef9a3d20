/** All rows of the specification that the account API implements, by style. */
import { LEGACY_ROWS, REST_ROWS } from './account-rows.js'
import { GATEWAY_ROWS, LEGACY_GATEWAY_ROWS } from './gateway-rows.js'
import { LEGACY_MESSAGE_ROWS, NUMBERING_MESSAGE_ROWS } from './message-rows.js'
import { LEGACY_NUMBER_ROWS, NUMBERING_NUMBER_ROWS, REST_NUMBER_ROWS } from './number-rows.js'
import { REST_NUMBER_ROWS_BESIDE } from './number-rows-beside.js'
import { LEGACY_PORT_ROWS, NUMBERING_PORT_ROWS, REST_PORT_ROWS } from './port-rows.js'

export const ALL_REST_ROWS = [
  ...REST_ROWS,
  ...REST_NUMBER_ROWS,
  ...REST_NUMBER_ROWS_BESIDE,
  ...GATEWAY_ROWS,
  ...REST_PORT_ROWS,
]
/** Rows of the legacy style below `/v2.1`. */
export const ALL_LEGACY_ROWS = [
  ...LEGACY_ROWS,
  ...LEGACY_NUMBER_ROWS,
  ...LEGACY_GATEWAY_ROWS,
  ...LEGACY_PORT_ROWS,
  ...LEGACY_MESSAGE_ROWS,
]
/** Rows of the legacy style below `/v2`. */
export const ALL_NUMBERING_ROWS = [
  ...NUMBERING_NUMBER_ROWS,
  ...NUMBERING_PORT_ROWS,
  ...NUMBERING_MESSAGE_ROWS,
]
