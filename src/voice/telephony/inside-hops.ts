/** How many calls inside this server have led one to the other, up to this one. */
export interface InsideHops {
  readonly hops: number
}
