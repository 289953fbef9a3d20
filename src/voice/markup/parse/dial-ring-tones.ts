/**
 * Ringing tones by the country codes of `ringTone`: frequencies in Hz and cadences from the list of ITU-T
 * E.180. For countries with a modulated tone, only the carrier frequency is listed.
 */
export interface RingTone {
  readonly parts: readonly {
    readonly frequencies: readonly number[]
    readonly onMs: number
    readonly offMs: number
  }[]
}

const single = (frequencies: readonly number[], onMs: number, offMs: number): RingTone => ({
  parts: [{ frequencies, onMs, offMs }],
})
/** A tone of two short rings and a long pause. */
const double = (frequencies: readonly number[]): RingTone => ({
  parts: [
    { frequencies, onMs: 400, offMs: 200 },
    { frequencies, onMs: 400, offMs: 2_000 },
  ],
})

const EUROPEAN = single([425], 1_000, 4_000)
const BRITISH = double([400, 450])

export const RING_TONES: ReadonlyMap<string, RingTone> = new Map([
  ['at', single([420], 1_000, 5_000)],
  ['au', double([413, 438])],
  ['bg', EUROPEAN],
  ['br', EUROPEAN],
  ['be', single([425], 1_000, 3_000)],
  ['ch', EUROPEAN],
  ['cl', single([400], 1_000, 3_000)],
  ['cn', single([450], 1_000, 4_000)],
  ['cz', EUROPEAN],
  ['de', EUROPEAN],
  ['dk', EUROPEAN],
  ['ee', EUROPEAN],
  ['es', single([425], 1_500, 3_000)],
  ['fi', EUROPEAN],
  ['fr', single([440], 1_500, 3_500)],
  ['gr', EUROPEAN],
  ['hu', single([425], 1_250, 3_750)],
  ['il', single([400], 1_000, 3_000)],
  ['in', double([400])],
  ['it', EUROPEAN],
  ['lt', EUROPEAN],
  ['jp', single([400], 1_000, 2_000)],
  ['mx', EUROPEAN],
  ['my', double([425])],
  ['nl', EUROPEAN],
  ['no', EUROPEAN],
  ['nz', BRITISH],
  ['ph', single([425, 480], 1_000, 4_000)],
  ['pl', EUROPEAN],
  ['pt', single([425], 1_000, 5_000)],
  ['ru', single([425], 800, 3_200)],
  ['se', single([425], 1_000, 5_000)],
  ['sg', double([425])],
  ['th', EUROPEAN],
  ['uk', BRITISH],
  ['us', single([440, 480], 2_000, 4_000)],
  ['us-old', single([420], 2_000, 4_000)],
  ['tw', single([440, 480], 1_000, 2_000)],
  ['ve', EUROPEAN],
  ['za', double([400])],
])

export const DEFAULT_RING_TONE: RingTone = single([440, 480], 2_000, 4_000)
