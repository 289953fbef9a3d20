/** The chunk structure that RIFF and FORM files share. */
export interface Chunk {
  readonly id: string
  readonly bytes: Uint8Array
}

export interface ChunkLayout {
  readonly isLittleEndian: boolean
  /** Header of the whole file, before the first chunk. */
  readonly headerLength: number
}

export const latin1 = (bytes: Uint8Array, at: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(at, at + length))

export const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Chunks in order. One that claims more than is there, as streams write it, is what is there. */
export function* readChunks(
  file: Uint8Array,
  { isLittleEndian, headerLength }: ChunkLayout,
): Generator<Chunk> {
  const view = viewOf(file)
  let at = headerLength
  while (at + 8 <= file.length) {
    const length = view.getUint32(at + 4, isLittleEndian)
    const end = Math.min(at + 8 + length, file.length)
    yield { id: latin1(file, at, 4), bytes: file.subarray(at + 8, end) }
    at = end + (length % 2)
  }
}
