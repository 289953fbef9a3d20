/** What of the end-to-end suite applies to real servers, and why the rest does not. */

/** Files of test/e2e whose tests place no calls: real servers change nothing for them. */
export const FILES_WITHOUT_CALLS: readonly string[] = [
  ...['account-gate', 'account-mails', 'billing-kill', 'billing-restart', 'command-help'],
  ...['data-folder', 'database-backup', 'database-move', 'export-kill', 'exports', 'first-steps'],
  ...['messages', 'number-orders', 'numbers', 'port-operator', 'porting', 'postgres-dump'],
  ...['registry', 'registry-keyed-kill', 'registry-upstream', 'registry-walk', 'sip-domains'],
  ...['smpp', 'transcriptions'],
]

/** Cases that real servers cannot be held to. */
export interface Inapplicable {
  /** The file's name without its folder and ending. */
  readonly file: string
  /** The title of one test, or a part of it; absent for the whole file. */
  readonly title?: string
  readonly reason: string
}

const OWN_LAB = 'The test starts a lab of its own beside the server.'

export const INAPPLICABLE: readonly Inapplicable[] = [
  { file: 'customer-pbx', reason: OWN_LAB },
  { file: 'strangers', reason: OWN_LAB },
]

/** The reason why a test does not apply to real servers; undefined when it does. */
export function reasonAgainst(file: string, title: string): string | undefined {
  const name = file.replace(/^.*\//, '').replace(/(\.e2e)?\.test\.ts$/, '')
  return INAPPLICABLE.find(
    (each) => each.file === name && (each.title === undefined || title.includes(each.title)),
  )?.reason
}
