export interface RecordingRequest {
  readonly path: string
  readonly channels: 'mono' | 'stereo'
  readonly limitMs?: number | undefined
  readonly isReadOnly?: boolean
}
