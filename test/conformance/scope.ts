/** What of the end-to-end suite applies to real servers, and why the rest does not. */

/** Files of test/e2e whose tests place no calls: real servers change nothing for them. */
export const FILES_WITHOUT_CALLS: readonly string[] = [
  ...['account-gate', 'account-mails', 'billing-kill', 'billing-restart', 'command-help'],
  ...[
    'data-folder',
    'database-backup',
    'database-move',
    'docker-image',
    'export-kill',
    'exports',
    'first-steps',
  ],
  ...[
    'messages',
    'number-orders',
    'number-provider-kill',
    'numbers',
    'port-kill',
    'port-operator',
    'porting',
    'postgres-dump',
  ],
  ...['registry', 'registry-keyed-kill', 'registry-upstream', 'registry-walk', 'sip-domains'],
  ...['smpp', 'transcriptions'],
  // About nodes that share a database, which has a server of its own in other projects.
  ...['postgres-lost', 'two-nodes-calls', 'two-nodes-files', 'two-nodes-media', 'two-servers'],
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
  { file: 'sipp-pbx', reason: OWN_LAB },
  {
    file: 'local-networks',
    reason: 'EXT_RTP_IP of FreeSWITCH is one of its settings, read when it starts.',
  },
  { file: 'media-servers', reason: OWN_LAB },
  {
    file: 'private-addresses',
    title: 'a private one is refused though webhooks may go there',
    reason:
      'Beside real servers the webhooks of the tests need WEBHOOK_ALLOW_CIDRS, which opens these too.',
  },
  { file: 'strangers', reason: OWN_LAB },
  ...['injection', 'secrets'].map((file) => ({
    file,
    reason: 'It reads the commands that the lab was given (LAB_COMMAND_LOG).',
  })),
  {
    file: 'sip-tls',
    reason: 'The certificate is drachtio’s own; telephony-tls-real holds SIP over TLS to it.',
  },
  { file: 'rfc4475', reason: 'drachtio reads SIP with a parser of its own, and answers by it.' },
  { file: 'ipv6', reason: 'drachtio and FreeSWITCH listen where their own settings say.' },
  { file: 'rtp-theft', reason: 'Who may send RTP to FreeSWITCH: docs/real-servers.md.' },
  ...[
    { file: 'inbound', title: 'gets not a byte as a scanner [B12]' },
    { file: 'odd-callers', title: 'hears nothing, is counted, and calls nobody [B12]' },
  ].map((test) => ({
    ...test,
    reason: 'drachtio answers scanners 603 by itself, whatever its setting says.',
  })),
  ...[
    'REFER with the right To tag and a wrong From tag: 481, and the call lives [A10]',
    'REFER gets 405 [A10]',
    'PRACK: refused, and the call beside it lives [A10]',
    'an unknown method: refused, and the call beside it lives [A10]',
  ].map((title) => ({
    file: 'odd-callers',
    title,
    reason:
      'drachtio answers no REFER, no PRACK and no unknown method outside a dialog: docs/real-servers.md.',
  })),
  {
    file: 'odd-callers',
    title:
      'a call is refused as for a fault of ours, and the next one is taken when a port is free',
    reason: 'The RTP ports of FreeSWITCH are one of its settings, read when it starts.',
  },
  {
    file: 'telephony-real',
    title: 'is given up by a BYE in its early dialog',
    reason:
      'drachtio answers such a BYE 481 and its INVITE 500, and tells nobody: docs/real-servers.md.',
  },
  {
    file: 'telephony-tls-real',
    title: 'does not call a server whose certificate is for another name',
    reason: 'drachtio 0.9 checks no certificate of a server that it calls: docs/real-servers.md.',
  },
  ...['Digest is challenged', 'Digest username="alice is challenged'].map((title) => ({
    file: 'registrar',
    title: `with the Authorization ${title}`,
    reason: 'drachtio answers credentials that it cannot read 400 by itself.',
  })),
  {
    file: 'registrar',
    title: 'is kept over a restart of the server',
    reason: 'drachtio would share its requests out between two trunklines.',
  },
  {
    file: 'failures',
    title: 'live calls end with one final callback, REST says 503',
    reason: 'It kills the lab’s process.',
  },
  ...['an RTP address that is loopback', 'an RTP address that no audio comes back from'].map(
    (title) => ({
      file: 'telephony-faults',
      title,
      reason: 'The RTP address of FreeSWITCH is one of its settings, read when it starts.',
    }),
  ),
  {
    file: 'kill',
    title: 'takes its own calls back, refuses those of others',
    reason: 'The lab ends with trunkline and ends its calls; drachtio goes on: see kill-ringing.',
  },
  {
    file: 'kill',
    title: 'the far end of each call gets its BYE from the next ones',
    reason: 'It kills the lab’s process.',
  },
  {
    file: 'recordings',
    title: '(the lab) leaves a recording that opens',
    reason: 'It kills the lab’s process.',
  },
]

/** The reason why a test does not apply to real servers; undefined when it does. */
export function reasonAgainst(file: string, title: string): string | undefined {
  const name = file.replace(/^.*\//, '').replace(/(\.e2e)?\.test\.ts$/, '')
  return INAPPLICABLE.find(
    (each) => each.file === name && (each.title === undefined || title.includes(each.title)),
  )?.reason
}
