/** The convention's eight statuses of a call, and the moments that a status callback can be asked for. */
export type EndedStatus = 'completed' | 'busy' | 'no-answer' | 'failed' | 'canceled'
export type CallStatus = 'queued' | 'ringing' | 'in-progress' | EndedStatus
export type StatusEvent = 'initiated' | 'ringing' | 'answered' | 'completed'
