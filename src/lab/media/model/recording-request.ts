export interface RecordingRequest {
  readonly path: string
  readonly channels: 'mono' | 'stereo'
  readonly limitMs?: number
  readonly isReadOnly?: boolean
}
