/** Headers by name. Several values become several headers: a challenge cannot be part of a list. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[]>>
