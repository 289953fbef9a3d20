/** A part of a body, by whose id a header can name it (RFC 2392). */
export interface BodyPart {
  readonly contentType: string
  /** The Content-ID without its angle brackets: `name@host`. */
  readonly contentId: string
  readonly content: string
}
