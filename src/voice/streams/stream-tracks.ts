/** The tracks of a call that are sent to the customer. `inbound` is the far end's speech. */
export type StreamTracks =
  | readonly ['inbound']
  | readonly ['outbound']
  | readonly ['inbound', 'outbound']

export function tracksOf(track: 'inbound_track' | 'outbound_track' | 'both_tracks'): StreamTracks {
  switch (track) {
    case 'inbound_track':
      return ['inbound']
    case 'outbound_track':
      return ['outbound']
    case 'both_tracks':
      return ['inbound', 'outbound']
  }
}
