/**
 * Detects a message that consists of a keyword, ignoring case and punctuation: `STOP 12345` is not one. Pure.
 */

export type Keyword = 'stop' | 'start' | 'help'

export interface CampaignKeywords {
  readonly optoutKeywords: readonly string[]
  readonly optinKeywords: readonly string[]
  readonly helpKeywords: readonly string[]
}

/** The words of CTIA, of the FCC's rule of 2025-04-11, and of large carriers. */
const STOP = [
  ...['STOP', 'STOPALL', 'STOP ALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE'],
  ...['OPT OUT', 'OPTOUT', 'REMOVE', 'ARRET', 'TD'],
]
const START = ['START', 'YES', 'UNSTOP']
const HELP = ['HELP', 'INFO']

export function keywordOf(body: string, campaign?: CampaignKeywords): Keyword | undefined {
  const said = plain(body)
  const isOneOf = (words: readonly string[], more: readonly string[] = []) =>
    [...words, ...more].some((word) => plain(word) === said && said !== '')
  if (isOneOf(STOP, campaign?.optoutKeywords)) return 'stop'
  if (isOneOf(START, campaign?.optinKeywords)) return 'start'
  return isOneOf(HELP, campaign?.helpKeywords) ? 'help' : undefined
}

/** Upper-cases and removes accents; hyphens separate words, other signs are dropped. */
function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[-_\s]+/gu, ' ')
    .replace(/[^\p{L}\p{N} ]/gu, '')
    .trim()
    .toUpperCase()
}
