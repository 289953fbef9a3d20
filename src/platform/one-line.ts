/**
 * A text without line breaks and other control characters, as names are that go into mails, headers and
 * onto terminals. Pure.
 */
export const ONE_LINE = /^\P{Cc}*$/u
