import type { SentMail } from './mail.js'

/** The fields that the library makes a message from (RFC 5322 §3.6). */
export function messageOf({ to, subject, text, id, at }: SentMail, from: string) {
  return {
    // A name and an address that are read as they are: no list, no further address.
    from,
    to: { name: '', address: to },
    subject,
    text,
    date: new Date(at),
    // The same for each attempt, so that a receiver sees a repetition.
    messageId: `<${id.replaceAll(/[^\w.-]/g, '_')}@${domainOf(from)}>`,
    // RFC 3834 §5: nobody's vacation answers this.
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

function domainOf(from: string): string {
  return /@([A-Za-z0-9.-]+)>?$/.exec(from)?.[1] ?? 'localhost'
}
